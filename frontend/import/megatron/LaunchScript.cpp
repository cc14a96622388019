//===- LaunchScript.cpp - Finds the training command in a launch script -----------------------===//
#include "frontend/import/megatron/LaunchScript.h"
#include "frontend/import/megatron/LaunchOptions.h"
#include "support/diagnostics/Imports.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::megatron;

namespace {
/// Whether the command runs a script `pretrain_…` or has options for the sizes of a model.
bool trains(const ShellWords& words) {
  const auto script = llvm::find_if(
      words, [](const ShellWord& word) { return llvm::StringRef(word.text).endswith(".py"); });
  if (script == words.end())
    return false;
  const llvm::StringRef path = script->text;
  return path.substr(path.rfind('/') + 1).startswith("pretrain_") ||
         llvm::any_of(words, [](const ShellWord& word) {
           const llvm::StringRef option = llvm::StringRef(word.text).split('=').first;
           return option == "--num-layers" || option == "--hidden-size" ||
                  option == "--micro-batch-size" || option == "--tensor-model-parallel-size";
         });
}

/// The first commands of an executed script, for a help message.
std::string firstCommands(llvm::StringRef text) {
  constexpr std::size_t longest = 300;
  std::string out;
  llvm::StringRef line;
  while (!text.empty() && out.size() < longest) {
    std::tie(line, text) = text.split('\n');
    if (!line.startswith("#"))
      out += fmt::format("{}`{}`", out.empty() ? "" : ", ", line.take_front(longest));
  }
  return out;
}
} // namespace

FailureOr<shell::LaunchCommand> dpl::imports::megatron::launchOf(const LaunchImport& request,
                                                                 DiagnosticEngine& diags) {
  const shell::ScriptRequest script{request.sources,        request.file, request.defines,
                                    request.addSourcedFile, trains,       hasNoEffectOnPlan};
  FailureOr<shell::LaunchCommand> command = shell::Script(script, diags).launch();
  if (command.failed() || !command->words.empty() || !command->unknown.empty())
    return command;
  const std::string help =
      command->exit.valid() ? "it ends here"
      : request.executed
          ? "it starts " + firstCommands(request.sources.text(request.file))
          : "a launch is `torchrun … pretrain_gpt.py …`, or a file of options, the first of "
            "which begins with `--`";
  return diags.report<diag::ImportNoLaunch>(command->exit, request.sources.name(request.file))
      .help(help);
}
