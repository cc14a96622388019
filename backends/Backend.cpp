//===- Backend.cpp - Types and text functions that all targets use ----------------------------===//
#include "backends/Backend.h"
#include "support/Json.h"
#include "support/Utf8.h"
#include <cctype>
#include <fmt/format.h>
using namespace dpl;

std::string dpl::generatorName() { return "dplc " DPL_VERSION; }

std::string dpl::subjectOf(const ir::Plan& plan) {
  return fmt::format("{} of {}, plan {}", oneLine(plan.name), oneLine(plan.file), plan.hash);
}

std::string dpl::quoted(llvm::StringRef text) {
  std::string out;
  unsigned codePoint = 0;
  const std::string json = Json(validUtf8(text)).dump();
  for (llvm::StringRef rest = json; !rest.empty();) {
    const std::size_t bytes = unprintable(rest, codePoint);
    out += bytes > 0 ? fmt::format("\\u{:04x}", codePoint) : std::string(1, rest.front());
    rest = rest.drop_front(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

std::string dpl::cppString(llvm::StringRef text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') // `??` could begin a trigraph
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
