//===- Backend.cpp - What every target has in common ------------------------------------------===//
#include "backends/Backend.h"
#include "support/Json.h"
#include <cctype>
#include <fmt/format.h>
using namespace dpl;

std::string dpl::generatorName() { return "dplc " DPL_VERSION; }

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

std::string dpl::subjectOf(const ir::Plan& plan) {
  return fmt::format("{} of {}, plan {}", oneLine(plan.name), oneLine(plan.file), plan.hash);
}

std::string dpl::quoted(llvm::StringRef text) {
  std::string out;
  for (const char c : Json(validUtf8(text)).dump())
    out += c == 0x7f ? "\\u007f" : std::string(1, c); // the one character that only TOML escapes
  return out;
}

std::string dpl::cppString(llvm::StringRef text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') // `??` would begin a trigraph
      out += std::string("\\") + c;
    else if (byte < 0x20 || byte >= 0x7f)
      out += fmt::format("\\{:03o}", byte);
    else
      out += c;
  }
  return out + "\"";
}

std::string dpl::shellWord(llvm::StringRef text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || llvm::StringRef("_-./:=@%+,").contains(static_cast<char>(c));
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain))
    return text.str();
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c != 0)
      out += c;
  }
  return out + "'";
}
