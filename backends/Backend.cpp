//===- Backend.cpp - What every target has in common ------------------------------------------===//
#include "backends/Backend.h"
#include "support/Json.h"
#include <cctype>
#include <fmt/format.h>
using namespace dpl;

std::string dpl::generatorName() { return "dplc " DPL_VERSION; }

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
