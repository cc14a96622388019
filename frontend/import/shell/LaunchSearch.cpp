//===- LaunchSearch.cpp - The command of a script that starts the training --------------------===//
#include "frontend/import/shell/LaunchSearch.h"
#include "support/diagnostics/Imports.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports::shell;

bool dpl::imports::shell::onlyNames(llvm::StringRef command) {
  return isAny(command, {"echo", "printf", "cat",  "cp",    "mv",  "ln",    "ls",
                         "rm",   "cd",     "test", "mkdir", "[",   "[[",    "chmod",
                         "git",  "sed",    "grep", "diff",  "tee", "rsync", "scp"});
}

bool LaunchSearch::trains(const ShellWords& words) const {
  return !words.empty() && !onlyNames(words[0].text) && isTraining(words);
}

LogicalResult LaunchSearch::found(const ShellWords& words, std::size_t begin) {
  if (!blocks.runs()) {
    if (const ShellBlock* const body = blocks.functionBody(); body && !uncalled)
      uncalled = *body;
    return LogicalResult::success();
  }
  if (const ShellBlock* const block = blocks.undecided())
    return notFollowed(*block);
  const SourceRange at = words[0].at.begin >= begin ? words[0].at : in.from(begin);
  if (command)
    return diags.report<diag::ImportRefused>(
        at, "the import",
        fmt::format("another training is started in line {}",
                    sources.at(commandAt.file, commandAt.begin).line));
  command = words, commandAt = at;
  return LogicalResult::success();
}

LogicalResult LaunchSearch::notFollowed(const ShellBlock& block) {
  const std::string name = block.keyword == "function" ? block.name : block.keyword;
  auto report = diags.report<diag::ImportNotFollowed>(
      SourceRange{in.file(), static_cast<std::uint32_t>(block.begin),
                  static_cast<std::uint32_t>(block.begin + name.size())},
      name);
  if (!block.unknownVariable.empty())
    (void)std::move(report).help(
        fmt::format("`--define {}=VALUE` says which way it goes",
                    nameStart(block.unknownVariable[0]) ? block.unknownVariable : "@"));
  return LogicalResult::failure();
}

/// Records a command or an argument of a launcher that is not known, or a variable that once was a
/// script.
void LaunchSearch::noteDoubtful(const ShellWords& words) {
  if (!blocks.runs() || onlyNames(words[0].text) || llvm::any_of(words, [](const ShellWord& w) {
        return llvm::StringRef(w.text).endswith(".sh");
      }))
    return; // a word `….sh` is another script
  const llvm::StringRef path = words[0].text;
  const bool launcher = words[0].doubt || isAny(path.substr(path.rfind('/') + 1),
                                                {"eval", "srun", "mpirun", "mpiexec", "torchrun",
                                                 "python", "python3", "deepspeed", "accelerate"});
  const auto word = llvm::find_if(words, [&](const ShellWord& one) {
    return one.doubt && (launcher || variables.hasNamedAScript(one.doubt->variable));
  });
  if (word != words.end())
    doubtful.push_back(*word);
}

LogicalResult LaunchSearch::inFile(llvm::function_ref<LogicalResult()> read) {
  const std::optional<ShellWords> outside = std::exchange(command, std::nullopt);
  const LogicalResult out = read();
  if (command && !commandInFile)
    commandInFile = std::move(command);
  command = outside;
  return out;
}

FailureOr<std::pair<ShellWords, ShellWords>> LaunchSearch::result() {
  if (!command)
    command = std::move(commandInFile);
  if (command)
    return std::pair(std::move(*command), ShellWords());
  if (uncalled)
    return notFollowed(*uncalled);
  return std::pair(ShellWords(), std::move(doubtful));
}
