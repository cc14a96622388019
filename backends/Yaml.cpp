//===- Yaml.cpp - JSON values as YAML ---------------------------------------------------------===//
#include "backends/Yaml.h"
#include "backends/Backend.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace dpl;

namespace {

/// Whether a string needs no quotes. It must begin with a letter and contain only letters, digits,
/// `-`, `_`, `.` and `/`. It must not be a word that YAML 1.1 reads as a boolean or null.
bool isPlain(llvm::StringRef text) {
  const auto fits = [](char c) { return llvm::isAlnum(c) || llvm::StringRef("-_./").contains(c); };
  if (text.empty() || !llvm::isAlpha(text.front()) || !llvm::all_of(text, fits))
    return false;
  for (const char* word : {"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
    if (text.equals_insensitive(word))
      return false;
  return true;
}

std::string scalar(const Json& value) {
  if (!value.is_string())
    return value.dump();
  const std::string text = value.get<std::string>();
  return isPlain(text) ? text : dpl::quoted(text);
}

void write(std::string& out, const Json& value, unsigned depth, bool inSequence);

/// Writes a value that follows `key:`, or `-` if `entry` is set.
void below(std::string& out, const Json& value, unsigned depth, bool entry) {
  if (value.is_structured() && !value.empty()) {
    out += entry ? " " : "\n";
    write(out, value, depth + 1, entry);
  } else {
    out += " " + scalar(value) + "\n";
  }
}

/// Writes a value. If `inSequence` is set, the first line follows a dash and is not indented.
void write(std::string& out, const Json& value, unsigned depth, bool inSequence) {
  bool first = inSequence;
  const auto indent = [&] {
    if (!first)
      out.append(2 * depth, ' ');
    first = false;
  };
  if (value.is_array()) {
    for (const Json& element : value) {
      indent();
      out += "-";
      below(out, element, depth, true);
    }
    return;
  }
  for (const auto& [key, member] : value.items()) {
    indent();
    out += scalar(Json(key)) + ":";
    below(out, member, depth, false);
  }
}

} // namespace

std::string dpl::yamlDocument(const Json& value) {
  std::string out = "---\n";
  write(out, value, 0, false);
  return out;
}
