//===- Utf8.cpp - Checking and counting UTF-8 -------------------------------------------------===//
#include "support/Utf8.h"
#include "support/Json.h"
#include <cstdint>
#include <cstring>
using namespace dpl;

std::size_t dpl::utf8Length(llvm::StringRef text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty())
    return 0;
  const unsigned char lead = byte(0);
  if (lead < 0x80)
    return 1;
  const std::size_t length = lead < 0xC2   ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || text.size() < length)
    return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80)
      return 0;
  const unsigned char second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second >= 0xA0;
  const bool beyond = lead == 0xF4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

std::optional<std::size_t> dpl::firstInvalidUtf8(llvm::StringRef text) {
  std::size_t i = 0;
  while (i < text.size()) {
    // Eight ASCII bytes at a time: most files hold nothing else.
    std::uint64_t word = 0;
    if (i + sizeof word <= text.size()) {
      std::memcpy(&word, text.data() + i, sizeof word);
      if ((word & 0x8080808080808080U) == 0) {
        i += sizeof word;
        continue;
      }
    }
    const std::size_t length = utf8Length(text.drop_front(i));
    if (length == 0)
      return i;
    i += length;
  }
  return std::nullopt;
}

std::size_t dpl::codePoints(llvm::StringRef text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++count) {
    const std::size_t length = utf8Length(text.drop_front(i));
    i += length == 0 ? 1 : length;
  }
  return count;
}

namespace {
/// U+200E and F, U+202A to E, U+2066 to 9, the line ends U+2028 and 9: all of three bytes.
bool turnsOrEnds(llvm::StringRef at) {
  if (at.size() < 3 || at[0] != '\xe2')
    return false;
  const auto second = static_cast<unsigned char>(at[1]), third = static_cast<unsigned char>(at[2]);
  return (second == 0x80 && (third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae))) ||
         (second == 0x81 && third >= 0xa6 && third <= 0xa9);
}
} // namespace

std::string dpl::oneLine(llvm::StringRef text) {
  const std::string valid = validUtf8(text);
  std::string out;
  for (llvm::StringRef rest = valid; !rest.empty(); rest = rest.drop_front()) {
    const auto c = static_cast<unsigned char>(rest.front());
    if (turnsOrEnds(rest)) {
      out += '?';
      rest = rest.drop_front(2);
    } else {
      out += c < 0x20 || c == 0x7f ? '?' : rest.front();
    }
  }
  return out;
}
