#pragma once
//===- LaunchSearch.h - The command of a script that starts the training ----------------------===//
#include "frontend/import/shell/Blocks.h"
#include "support/Diagnostics.h"

namespace dpl::imports::shell {

/// Whether the command only mentions files, like `echo` or `cp`, and does not run them.
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
  /// Records a command that trains. Fails after a report if it is unknown whether it runs, or if it
  /// is the second one.
  LogicalResult found(const ShellWords& words, std::size_t begin);
  /// Records an unknown word that may start the training.
  void noteDoubtful(const ShellWords& words);
  /// Runs `read` over a here-document that is written to a file. A training in it counts only if
  /// there is no other.
  LogicalResult inFile(llvm::function_ref<LogicalResult()> read);
  /// The command, else the unknown words that may start the training; both empty if there is
  /// neither. Fails after a report if only a function that is never called starts it.
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
  std::optional<ShellBlock> uncalled; ///< a function that starts the training and is never called
};

} // namespace dpl::imports::shell
