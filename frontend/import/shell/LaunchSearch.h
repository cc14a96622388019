#pragma once
//===- LaunchSearch.h - The command that a script is read for ---------------------------------===//
#include "frontend/import/shell/Blocks.h"
#include "support/Diagnostics.h"

namespace dpl::imports::shell {

/// Commands that name a file and do not run it.
bool onlyNames(llvm::StringRef command);

using CommandPredicate = std::function<bool(const ShellWords& words)>;

/// Finds the one command that starts a training.
class LaunchSearch {
public:
  LaunchSearch(const CommandPredicate& trains, DiagnosticEngine& diags,
               const SourceManager& sources, const ScriptCursor& in,
               const ShellVariables& variables, const Blocks& blocks)
      : isTraining(trains), diags(diags), sources(sources), in(in), variables(variables),
        blocks(blocks) {}

  bool trains(const ShellWords& words) const;
  /// Keeps a command that trains; fails after a report where nobody knows whether it runs, or where
  /// it is the second one.
  LogicalResult found(const ShellWords& words, std::size_t begin);
  /// Keeps the word on which it depends whether a command starts the training.
  void noteDoubtful(const ShellWords& words);
  /// Runs `read` over a document that becomes a file. A training in it counts where there is no
  /// other.
  LogicalResult inFile(llvm::function_ref<LogicalResult()> read);
  /// The command, or without one the words of which it depends; both empty where there is neither.
  /// Fails after a report where a function starts it and nothing calls the function.
  FailureOr<std::pair<ShellWords, ShellWords>> result();

private:
  LogicalResult notFollowed(const ShellBlock& block);

  const CommandPredicate& isTraining;
  DiagnosticEngine& diags;
  const SourceManager& sources;
  const ScriptCursor& in;
  const ShellVariables& variables;
  const Blocks& blocks;
  std::optional<ShellWords> command, commandInFile;
  SourceRange commandAt;
  ShellWords doubtful;
  std::optional<ShellBlock> uncalled; ///< a function that starts it and that nothing calls
};

} // namespace dpl::imports::shell
