//===- LaunchOptions.cpp - Options of a launch, and which of them were read -------------------===//
#include "frontend/import/megatron/LaunchOptions.h"
#include "frontend/import/BlockText.h"
#include "frontend/import/ErrorOrigins.h"
#include "frontend/import/megatron/LaunchScript.h"
#include "support/Near.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
std::string variableIn(llvm::StringRef text) {
  const std::size_t dollar = text.find('$');
  llvm::StringRef rest = text.substr(dollar == llvm::StringRef::npos ? text.size() : dollar + 1);
  const bool braces = rest.consume_front("{");
  const llvm::StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  const llvm::StringRef behind = rest.drop_front(name.size());
  const bool cut = braces && !behind.startswith("}") && !behind.startswith(":?");
  return cut || name.empty() || llvm::isDigit(name[0]) ? "" : name.str();
}
/// Removes `_` between digits, as Python allows them in numbers.
std::string withoutBars(llvm::StringRef text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '_' || i == 0 || i + 1 == text.size() || !llvm::isDigit(text[i - 1]) ||
        !llvm::isDigit(text[i + 1]))
      out += text[i];
  return out;
}

/// The name that `--define` has to set so that the word is known; empty if there is none.
std::string definitionOf(const ShellWord& word) {
  if (word.doubt && isAnArgument(word.doubt->what))
    return "@";
  return word.doubt && !word.doubt->variable.empty() ? word.doubt->variable : variableIn(word.text);
}
} // namespace

/// Groups words by option. The values of an option are the words up to the next one with `--`. If
/// the value of a later word is not known, it may be an option and is not a value. Of two equal
/// options the last one applies.
LaunchOptions::LaunchOptionMap LaunchOptions::group(llvm::ArrayRef<ShellWord> words) {
  LaunchOptionMap out;
  LaunchOption* open = nullptr;
  for (const ShellWord& word : words) {
    const llvm::StringRef text = word.text;
    if (!text.startswith("--")) {
      if (open && (!word.doubt || open->values.empty()))
        open->values.push_back(word);
      continue;
    }
    const auto [name, value] = text.split('=');
    open = &out[oneLine(name)];
    *open = {word.at, {}};
    if (name.size() < text.size())
      open->values.push_back({value.str(), word.at, word.doubt});
  }
  return out;
}

std::uint64_t LaunchOptions::launcherCount(const LaunchOptionMap& given,
                                           std::initializer_list<const char*> names,
                                           std::uint64_t otherwise) {
  for (const char* name : names)
    if (const auto found = given.find(name); found != given.end() && !found->second.values.empty())
      return number(name, found->second.values.front());
  return otherwise;
}

/// Reads a file of options, with one or several options per line and `#` comments. The comment `#
/// torchrun …` contains the number of processes.
LogicalResult LaunchOptions::readFile() {
  const llvm::StringRef text = request.sources.text(request.file);
  std::vector<ShellWord> words, launcher;
  llvm::StringRef rest = text, line;
  while (!rest.empty()) {
    const std::size_t begin = text.size() - rest.size();
    std::tie(line, rest) = rest.split('\n');
    const llvm::StringRef trimmed = line.trim();
    const bool comment = trimmed.startswith("#");
    if (comment && !trimmed.startswith("# torchrun "))
      continue;
    const SourceRange at{request.file, static_cast<std::uint32_t>(begin),
                         static_cast<std::uint32_t>(begin + line.size())};
    if (comment) {
      llvm::SmallVector<llvm::StringRef, 8> pieces;
      llvm::SplitString(trimmed, pieces);
      for (const llvm::StringRef piece : pieces)
        launcher.push_back({piece.str(), at, nullptr});
    } else if (!trimmed.empty()) { // a line is one word, or an option and its values
      llvm::SmallVector<llvm::StringRef, 4> pieces;
      llvm::SplitString(trimmed, pieces);
      if (!trimmed.startswith("--"))
        pieces = {trimmed};
      for (const llvm::StringRef piece : pieces)
        words.push_back({piece.str(), at, nullptr});
    }
  }
  const LaunchOptionMap started = group(launcher);
  setOptions(words, launcherCount(started, {"--nnodes"}, 0),
             launcherCount(started, {"--nproc-per-node"}, 0));
  return LogicalResult::success();
}

/// Replaces each option in a text by the name that it has in the imported file.
std::string LaunchOptions::inTheirWords(llvm::StringRef text) const {
  std::string out;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find("--"), text.size());
    const llvm::StringRef option =
        text.substr(at).take_while([](char c) { return llvm::isAlnum(c) || c == '-' || c == '_'; });
    const auto found = theirNames.find(option.str());
    out += text.take_front(at).str() + (found == theirNames.end() ? option.str() : found->second);
    text = text.drop_front(at + option.size());
  }
  return out;
}

void LaunchOptions::setOptions(const ShellWords& words, std::uint64_t ofNodes,
                               std::uint64_t perNode, const OptionNameMap& names) {
  theirNames = names;
  options = group(words);
  translate();
  nodes = ofNodes, gpus = perNode;
  if (const std::uint64_t count = defined("NNODES", processes))
    nodes = count;
  if (const std::uint64_t count = defined("NPROC_PER_NODE", processes))
    gpus = count;
  if (nodes == 0 || gpus == 0)
    requireProcessCount();
}

/// Whether a script trains a model that is not a decoder, or does not accept the options of
/// `pretrain_gpt.py`.
bool LaunchOptions::trainsAnotherModel(llvm::ArrayRef<ShellWord> words, std::size_t script) {
  const llvm::StringRef path = words[script].text, name = path.substr(path.rfind('/') + 1);
  return namesAnotherModel(name) ||
         (name != "pretrain_gpt.py" &&
          llvm::none_of(words.drop_front(script), [](const ShellWord& word) {
            const llvm::StringRef option = llvm::StringRef(word.text).split('=').first;
            return option == "--num-layers" || option == "--hidden-size";
          }));
}

LogicalResult LaunchOptions::read() {
  llvm::StringRef rest = request.sources.text(request.file), line;
  while (!rest.empty()) {
    std::tie(line, rest) = rest.split('\n');
    if (line.trim().startswith("--"))
      return readFile();
    if (!line.trim().empty() && !line.trim().startswith("#"))
      break;
  }
  FailureOr<shell::LaunchCommand> command = launchOf(request, diags);
  if (command.failed())
    return LogicalResult::failure();
  sourced = command->sourced;
  if (command->words.empty()) {
    for (const ShellWord& word : command->unknown)
      doubtful(word);
    return LogicalResult::failure();
  }
  const llvm::ArrayRef<ShellWord> words(command->words);
  const auto script = llvm::find_if(
      words, [](const ShellWord& w) { return llvm::StringRef(w.text).endswith(".py"); });
  const std::size_t at = static_cast<std::size_t>(script - words.begin());
  const llvm::StringRef path = script->text;
  if (trainsAnotherModel(words, at))
    return diags
        .report<diag::ImportRefused>(
            script->at, "the import",
            fmt::format(
                "`{}` is not `pretrain_gpt.py`, and may train a model other than its options "
                "describe",
                script->text))
        .help("if it trains a decoder with the same options, write `pretrain_gpt.py` instead");
  if (const llvm::StringRef name = path.substr(path.rfind('/') + 1); name != "pretrain_gpt.py")
    otherScript = name.str();
  where = words[0].at;
  started(words.take_front(at), command->batch);
  doubts(words.drop_front(at + 1));
  options = group(words.drop_front(at + 1));
  for (auto& [name, option] : options) {
    const SourceRange before =
        std::exchange(option.at, locationOf(name, option.at, request.sources, request.file));
    for (ShellWord& word : option.values)
      if (word.at == before)
        word.at = option.at;
  }
  translate();
  if (oneProcess && (startedElsewhere() || inWrapper))
    requireProcessCount();
  return LogicalResult::success();
}

/// Records words that are not known and may be options. A word is not recorded if it must be the
/// value of an option that has no meaning for a plan, or that reports the word itself.
void LaunchOptions::doubts(llvm::ArrayRef<ShellWord> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].doubt)
      continue;
    const llvm::StringRef before = i == 0 ? llvm::StringRef() : llvm::StringRef(words[i - 1].text);
    const llvm::StringRef own = words[i].text;
    const bool inside = own.startswith("--") && own.contains('='); // `--save=$DIR`
    const llvm::StringRef option = inside ? own.split('=').first : before;
    const bool isValue = option.startswith("--") && (inside || !option.contains('='));
    const bool alone = i + 1 == words.size() || llvm::StringRef(words[i + 1].text).startswith("--");
    const bool without = isValue && hasNoEffectOnPlan(option) && (inside || hasAValue(option));
    const bool asked = isValue && !hasNoEffectOnPlan(option) && alone && words[i].doubt->outside;
    if (!without && !asked)
      doubtful(words[i]);
    moreOptions |= !isValue;
    optionsUnknown |= !isValue && !words[i].doubt->outside;
  }
}

const LaunchOptions::LaunchOption* LaunchOptions::consume(const std::string& option) {
  consumed.insert(option);
  const auto found = options.find(option);
  return found == options.end() ? nullptr : &found->second;
}

bool LaunchOptions::flag(const std::string& option) {
  const LaunchOption* found = consume(option);
  if (found && !found->values.empty()) {
    moreOptions |= found->values.front().doubt != nullptr;
    wrong(option, "no value");
  }
  return found != nullptr;
}

void LaunchOptions::wrong(const std::string& option, const std::string& needed, bool offered) {
  const auto found = options.find(option);
  if (found == options.end()) {
    (void)diags.report<diag::ImportMissing>(
        where, fmt::format("`{}`, {}", inTheirWords(option), inTheirWords(needed)));
    return;
  }
  if (llvm::is_contained(request.ignore, option) && !isSizeOption(option)) {
    dropped.insert(option); // the option keeps its default
    return;
  }
  for (const ShellWord& word : found->second.values)
    if (requireInput(option, word, "VALUE"))
      return;
  const std::string written = oneLine(joined(found->second.values));
  const std::string variable = variableIn(written);
  auto report = diags.report<diag::ImportValue>(found->second.at, inTheirWords(option), written,
                                                inTheirWords(needed));
  if (!variable.empty())
    (void)std::move(report).help(fmt::format("`--define {}=VALUE` says what it is", variable));
  else if (offered)
    (void)std::move(report).help(
        fmt::format("`--ignore={}` imports the launch without it", option));
}

/// Whether the value of a word is not known. If so, adds a missing input.
bool LaunchOptions::requireInput(const std::string& option, const ShellWord& word,
                                 const char* kind) {
  if (!word.doubt)
    return false;
  if (!word.doubt->outside) // otherwise the statement that may set the word is reported
    return !unfollowed.empty();
  const std::string variable = definitionOf(word);
  if (variable.empty())
    return doubtful(word), true;
  lacks(word.at, fmt::format("what `{}` of `{}` stands for", word.text, inTheirWords(option)),
        variable == "@" ? "@=VALUES" : variable + "=" + kind);
  return true;
}

std::string LaunchOptions::text(const std::string& option, const std::string& otherwise) {
  const LaunchOption* found = consume(option);
  if (found && found->values.size() != 1)
    wrong(option, "one value");
  return found && !found->values.empty() ? found->values.front().text : otherwise;
}

std::uint64_t LaunchOptions::number(const std::string& option, const ShellWord& word,
                                    const char* definition) {
  std::uint64_t out = 0;
  if (!llvm::StringRef(withoutBars(word.text)).getAsInteger(10, out) && out > 0)
    return out;
  placeholders.insert(option);
  const bool otherwise = *definition != '\0' && definitionOf(word).empty();
  if (!otherwise && requireInput(option, word, "NUMBER"))
    return 1;
  const std::string variable = *definition != '\0' ? definition : definitionOf(word);
  auto report = diags.report<diag::ImportValue>(word.at, inTheirWords(option), word.text,
                                                neededCount(word.text));
  if (!variable.empty())
    (void)std::move(report).help(fmt::format("`--define {}=VALUE` says what it is", variable));
  return 1;
}

std::uint64_t LaunchOptions::count(const std::string& option, std::uint64_t otherwise) {
  const LaunchOption* found = consume(option);
  if (!found)
    return otherwise;
  if (found->values.size() == 1)
    return number(option, found->values.front());
  wrong(option, "a whole number of at least 1");
  return otherwise == 0 ? 1 : otherwise;
}

std::optional<std::uint64_t> LaunchOptions::ifKnown(const std::string& option) {
  const auto found = options.find(option);
  if (found == options.end() || found->second.values.size() != 1)
    return std::nullopt;
  const ShellWord& word = found->second.values.front();
  std::uint64_t out = 0;
  if (word.doubt || llvm::StringRef(withoutBars(word.text)).getAsInteger(10, out) || out == 0)
    return std::nullopt;
  consumed.insert(option);
  return out;
}

double LaunchOptions::real(const std::string& option, double otherwise, NumberRange range) {
  const LaunchOption* found = consume(option);
  double out = otherwise;
  if (!found || (found->values.size() == 1 &&
                 !llvm::StringRef(withoutBars(found->values.front().text)).getAsDouble(out) &&
                 contains(range, out)))
    return out;
  wrong(option, imports::needed(range));
  return otherwise;
}

std::vector<std::uint64_t> LaunchOptions::counts(const std::string& option) {
  std::vector<std::uint64_t> out;
  for (const std::string& text : list(option))
    if (llvm::StringRef(withoutBars(text)).getAsInteger(10, out.emplace_back()))
      return {};
  return out;
}

std::vector<std::string> LaunchOptions::list(const std::string& option) {
  std::vector<std::string> out;
  if (const LaunchOption* found = consume(option))
    for (const ShellWord& word : found->values)
      out.push_back(word.text);
  return out;
}

std::string LaunchOptions::choice(const std::string& option, const std::string& otherwise,
                                  std::vector<std::string> known) {
  const LaunchOption* found = consume(option);
  if (!found)
    return otherwise;
  if (found->values.size() == 1 && llvm::is_contained(known, found->values.front().text))
    return found->values.front().text;
  wrong(option, alternatives(known), theirNames.empty());
  return otherwise;
}
