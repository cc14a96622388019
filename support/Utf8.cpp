//===- Utf8.cpp - Checks and counts UTF-8 -----------------------------------------------------===//
#include "support/Utf8.h"
#include <algorithm>
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
    // Checks eight bytes at a time, because most files are ASCII.
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

std::string dpl::validUtf8(llvm::StringRef text) {
  std::string out;
  out.reserve(text.size());
  while (const std::optional<std::size_t> bad = firstInvalidUtf8(text)) {
    out += text.take_front(*bad);
    out += "\xEF\xBF\xBD";
    text = text.drop_front(*bad + 1);
  }
  out += text;
  return out;
}

std::size_t dpl::unprintable(llvm::StringRef text, unsigned& codePoint) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  codePoint = byte(0);
  if (codePoint < 0x20 || codePoint == 0x7f)
    return 1;
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) {
    codePoint = byte(1);
    return 2;
  }
  if ((byte(0) & 0xf0) != 0xe0)
    return 0;
  codePoint = (byte(0) & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  const auto in = [&](unsigned first, unsigned last) {
    return codePoint >= first && codePoint <= last;
  };
  const bool bad = in(0x200e, 0x200f) || in(0x2028, 0x202e) || in(0x2066, 0x2069) ||
                   in(0xfeff, 0xfeff) || in(0xfffe, 0xffff);
  return bad ? 3 : 0;
}

namespace {
/// Removes control characters; `kept` returns the number of bytes at the start of a text that stay.
template <class Kept> std::string withoutOrders(llvm::StringRef text, const Kept& kept) {
  const std::string valid = dpl::validUtf8(text);
  std::string out;
  out.reserve(valid.size());
  unsigned codePoint = 0;
  for (llvm::StringRef rest = valid; !rest.empty();) {
    if (const std::size_t whole = kept(rest)) {
      out += rest.take_front(whole);
      rest = rest.drop_front(whole);
      continue;
    }
    const std::size_t bytes = dpl::unprintable(rest, codePoint);
    out += bytes > 0 ? '?' : rest.front();
    rest = rest.drop_front(std::max<std::size_t>(bytes, 1));
  }
  return out;
}
} // namespace

std::string dpl::oneLine(llvm::StringRef text) {
  return withoutOrders(text, [](llvm::StringRef) { return std::size_t{0}; });
}

std::string dpl::manyLines(llvm::StringRef text, bool styles) {
  return withoutOrders(text, [styles](llvm::StringRef rest) -> std::size_t {
    if (rest.front() == '\n' || rest.front() == '\t')
      return 1;
    if (!styles || !rest.startswith("\x1b["))
      return 0;
    const std::size_t end = rest.find_first_not_of("0123456789;", 2);
    return end != llvm::StringRef::npos && rest[end] == 'm' ? end + 1 : 0;
  });
}
