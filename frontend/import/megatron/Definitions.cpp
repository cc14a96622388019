//===- Definitions.cpp - Values of a launch that `--define` sets ------------------------------===//
#include "frontend/import/megatron/LaunchOptions.h"
#include "frontend/import/shell/ScriptCursor.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include "support/diagnostics/Tools.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports::megatron;

bool dpl::imports::megatron::isAnArgument(llvm::StringRef expansion) {
  llvm::StringRef name = expansion;
  if (!name.consume_front("$"))
    return false;
  if (name.consume_front("{")) {
    name.consume_back("}");
    const auto [argument, part] = name.split(':'); // expansions of a part of the arguments:
                                                   // `${@:2}`, `${@: -1}`
    const bool number = part.startswith(" ") || !part.startswith("-");
    name = number && !part.contains('$') ? argument : name;
  }
  return name == "@" || name == "*" || name == "#" ||
         (!name.empty() && llvm::all_of(name, [](char c) { return llvm::isDigit(c); }));
}

/// Records a word whose value is not known and matters.
void LaunchOptions::doubtful(const ShellWord& word) {
  if (!word.doubt) {
    (void)diags.report<diag::ImportRefused>(
        word.at, "the import",
        fmt::format("the effect of `{}` of the launcher is not known", word.text));
    return;
  }
  const bool arguments = isAnArgument(word.doubt->what);
  const std::string variable = arguments ? "@" : word.doubt->variable;
  if (word.doubt->outside && !variable.empty())
    return lacks(word.at, fmt::format("what `{}` stands for", word.doubt->what),
                 arguments ? "@=" : variable + "=VALUE");
  if (word.doubt->before)
    doubtful({word.text, word.at, word.doubt->before});
  const auto same = [&](const ShellWord& other) {
    return other.doubt->what == word.doubt->what && other.doubt->at.begin == word.doubt->at.begin &&
           other.doubt->at.file == word.doubt->at.file &&
           other.doubt->decides == word.doubt->decides;
  };
  const auto place =
      llvm::find_if(unfollowed, [&](const auto& words) { return same(words.front()); });
  if (place == unfollowed.end())
    unfollowed.push_back({word});
  else if (llvm::none_of(*place, [&](const ShellWord& other) {
             return other.doubt->variable == word.doubt->variable;
           }))
    place->push_back(word);
}

/// Reports each statement whose effect is not known, with all variables that it may set, and lists
/// the definitions that would set them.
void LaunchOptions::reportUnfollowed() {
  for (const ShellWords& words : unfollowed) {
    const Doubt& doubt = *words.front().doubt;
    auto report = doubt.outside
                      ? diags.report<diag::ImportMissing>(
                            words.front().at, fmt::format("what `{}` stands for", doubt.what))
                      : diags.report<diag::ImportNotFollowed>(doubt.at, doubt.what);
    std::string names;
    std::vector<std::string> defines;
    bool arguments = false;
    for (const ShellWord& word : words) {
      const std::string& variable = word.doubt->variable;
      arguments |= !variable.empty() && !shell::nameStart(variable[0]);
      if (variable.empty() || !shell::nameStart(variable[0]))
        continue;
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", variable);
      defines.push_back(variable + "=VALUE");
    }
    const std::string decides =
        doubt.decides.empty() || shell::nameStart(doubt.decides[0]) ? doubt.decides : "@";
    const bool several = words.size() > 1;
    const std::string define =
        defines.empty() ? "" : fmt::format("--define {}", fmt::join(defines, " --define "));
    if (define.empty()) {
      if (arguments || decides == "@")
        (void)std::move(report).help("write the arguments into the file in its place");
    } else if (!decides.empty() && "`" + decides + "`" != names) {
      missing.addElsewhere(decides == "@" ? "@=" : decides + "=VALUE");
      (void)std::move(report).help(
          fmt::format("`--define {}=VALUE` decides the condition, or `{}` says what {} {}", decides,
                      define, names, several ? "are" : "is"));
    } else {
      for (const std::string& one : defines)
        missing.addElsewhere(one);
      (void)std::move(report).help(
          MissingInputs::help(define, several ? "what they are" : "what it is"));
    }
  }
}

std::uint64_t LaunchOptions::needed(const std::string& option) {
  if (has(option))
    return count(option, 1);
  std::string name = llvm::StringRef(option).drop_front(2).upper();
  std::replace(name.begin(), name.end(), '-', '_');
  if (const std::uint64_t given = defined(name, option))
    return given;
  placeholders.insert(option);
  const bool vocabulary = option == "--vocab-size"; // this size is usually only in the tokenizer
  if (optionsUnknown && !vocabulary)
    return 1; // some option that is not known may set it
  const char* source = vocabulary ? ", as its tokenizer has it" : "";
  lacks(where, fmt::format("`{}`{}", inTheirWords(option), source), name + "=NUMBER");
  return 1;
}

void LaunchOptions::lacks(SourceRange at, const std::string& what, const std::string& define) {
  missing.add(at, what, define);
}

void LaunchOptions::reportMissing() {
  reportIncomplete();
  reportUnfollowed();
  missing.report(diags);
}

/// The value that `--define` sets for a name; null if it sets none.
const std::string* LaunchOptions::definitionFor(const std::string& wanted) {
  for (const auto& [name, value] : request.defines)
    if (name == wanted)
      return used.insert(name), &value;
  return nullptr;
}

/// The number that `--define` sets for a name; 0 if it sets none. A value that is not a number is
/// reported and replaced by 1, a placeholder for `option` or for the number of processes.
std::uint64_t LaunchOptions::defined(const std::string& wanted, const std::string& option) {
  const bool reported = used.count(wanted) != 0;
  const std::string* given = definitionFor(wanted);
  if (!given)
    return 0;
  std::uint64_t out = 0;
  if (!llvm::StringRef(*given).getAsInteger(10, out) && out > 0)
    return out;
  placeholders.insert(option);
  if (!reported)
    (void)diags.report<diag::ImportValue>({}, "--define " + wanted, oneLine(*given),
                                          neededCount(*given));
  return 1;
}

/// Reports definitions that were not read.
void LaunchOptions::unusedDefinitions() {
  if (request.executed)
    return;
  for (const auto& [name, value] : request.defines)
    if (name != "@" && used.count(name) == 0 &&
        !request.sources.text(request.file).contains(name) &&
        llvm::none_of(sourced, [&, wanted = llvm::StringRef(name)](std::uint32_t file) {
          return request.sources.text(file).contains(wanted);
        }))
      (void)diags.report<diag::UsageError>(
          {}, fmt::format("`--define {}={}`: the file does not ask for `{}`", name, value, name));
}
