//===- Training.cpp - Which command of a script starts the training ---------------------------===//
#include "frontend/import/shell/Script.h"
#include "support/diagnostics/Imports.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
bool isScript(const ShellWord& word) { return llvm::StringRef(word.text).endswith(".py"); }
} // namespace

bool dpl::imports::megatron::onlyNames(llvm::StringRef command) {
  return isAny(command, {"echo", "printf", "cat",  "cp",    "mv",  "ln",    "ls",
                         "rm",   "cd",     "test", "mkdir", "[",   "[[",    "chmod",
                         "git",  "sed",    "grep", "diff",  "tee", "rsync", "scp"});
}

bool dpl::imports::megatron::trains(const ShellWords& words) {
  if (words.empty() || onlyNames(words[0].text))
    return false;
  const auto script = llvm::find_if(words, isScript);
  if (script == words.end())
    return false;
  const llvm::StringRef path = script->text;
  return path.substr(path.rfind('/') + 1).startswith("pretrain_") ||
         llvm::any_of(words, [](const ShellWord& w) {
           const llvm::StringRef option = llvm::StringRef(w.text).split('=').first;
           return isAny(option, {"--num-layers", "--hidden-size", "--micro-batch-size",
                                 "--tensor-model-parallel-size"});
         });
}

LogicalResult Script::training(const ShellWords& words, std::size_t begin) {
  if (!runs()) {
    const auto body =
        llvm::find_if(blocks, [](const ShellBlock& b) { return b.keyword == "function"; });
    if (body != blocks.end() && !uncalled)
      uncalled = *body;
    return LogicalResult::success();
  }
  const SourceRange at = words[0].at.begin >= begin ? words[0].at : in.from(begin);
  for (const ShellBlock& block : blocks)
    if (!block.live && block.keyword != "{" && block.keyword != "(")
      return notFollowed(block);
  if (found)
    return refused(at, fmt::format("another training is started in line {}",
                                   request.sources.at(foundAt.file, foundAt.begin).line));
  found = words, foundAt = at;
  return LogicalResult::success();
}

LogicalResult Script::notFollowed(const ShellBlock& block) {
  const std::string name = block.keyword == "function" ? block.name : block.keyword;
  auto report = diags.report<diag::ImportNotFollowed>(
      SourceRange{file, static_cast<std::uint32_t>(block.begin),
                  static_cast<std::uint32_t>(block.begin + name.size())},
      name);
  if (!block.unknownVariable.empty())
    (void)std::move(report).help(
        fmt::format("`--define {}=VALUE` says which way it goes",
                    nameStart(block.unknownVariable[0]) ? block.unknownVariable : "@"));
  return LogicalResult::failure();
}

/// The word of which it depends whether this starts the training: the command, what a launcher
/// starts, or a variable that has named a script.
const ShellWord* Script::mayStart(const ShellWords& words) const {
  if (onlyNames(words[0].text) || llvm::any_of(words, [](const ShellWord& w) {
        return llvm::StringRef(w.text).endswith(".sh");
      }))
    return nullptr; // the latter is another script
  const llvm::StringRef path = words[0].text;
  const bool launcher = words[0].doubt || isAny(path.substr(path.rfind('/') + 1),
                                                {"eval", "srun", "mpirun", "mpiexec", "torchrun",
                                                 "python", "python3", "deepspeed", "accelerate"});
  const auto doubtful = llvm::find_if(words, [&](const ShellWord& word) {
    return word.doubt && (launcher || variables.hasNamedAScript(word.doubt->variable));
  });
  return doubtful == words.end() ? nullptr : &*doubtful;
}
