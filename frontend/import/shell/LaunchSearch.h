#pragma once
//===- LaunchSearch.h - The command of a script that starts the training ----------------------===//
#include "frontend/import/shell/Blocks.h"
#include "support/Diagnostics.h"

namespace dpl::imports::shell {

/// Whether a command, like `echo` or `cp`, only names files and does not run them.
bool onlyNames(llvm::StringRef command);

using CommandPredicate = std::function<bool(const ShellWords& words)>;

/// Finds the command that starts the training.
class LaunchSearch {
public:
  LaunchSearch(const CommandPredicate& trains, DiagnosticEngine& diags,
               const SourceManager& sources, const ScriptCursor& in,
               const ShellVariables& variables, const Blocks& blocks)
      : isTraining(trains), diags(diags), sources(sources), in(in), variables(variables),
        blocks(blocks) {}

  bool trains(const ShellWords& words) const;
  /// Records a command that starts the training. Fails, after a report, if it is not known whether
  /// the command runs, or if it is the second one.
  LogicalResult found(const ShellWords& words, std::size_t begin);
  /// Records a word that is not known and that may start the training.
  void noteDoubtful(const ShellWords& words);
  /// Calls `read` for a here-document that is written to a file. A training in it counts only if
  /// there is no other.
  LogicalResult inFile(llvm::function_ref<LogicalResult()> read);
  /// The command; otherwise the words that are not known and may start the training. Both are empty
  /// if there are none. Fails, after a report, if only a function that is never called starts the
  /// training.
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
  std::optional<ShellBlock> uncalled; ///< function that starts the training and is never called
};

} // namespace dpl::imports::shell
