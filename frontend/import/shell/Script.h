#pragma once
//===- Script.h - The command that a launch script runs ---------------------------------------===//
#include "frontend/import/shell/LaunchSearch.h"

namespace dpl::imports::shell {

/// A script to follow, and what it is read for. Whoever knows the program that it starts fills it.
struct ScriptRequest {
  const SourceManager& sources;
  std::uint32_t file;
  /// NAME=VALUE: variables that the script takes from its surroundings.
  const std::vector<std::pair<std::string, std::string>>& defines;
  /// Adds the file of that path below the script's folder to the sources; nothing where there is
  /// none. Without it no file is sourced.
  std::function<std::optional<std::uint32_t>(llvm::StringRef path)> addSourcedFile;
  CommandPredicate trains;     ///< whether a command starts the training
  OptionPredicate hasNoEffect; ///< whether an option of it does not matter
};

/// The command that starts the training. Counts of `#SBATCH` lines hold for the whole job.
struct LaunchCommand {
  ShellWords words;   ///< empty where no command starts it
  ShellWords unknown; ///< without `words`: what may start the training, and nobody knows
  std::map<std::string, ShellWord> batch = {}; ///< "--nodes" to its value
  std::vector<std::uint32_t> sourced = {};     ///< files that the script sources
  SourceRange exit = {};                       ///< the command that ended the script
};

/// Follows a shell script without running anything. A statement that may set a variable and is no
/// plain assignment (in a block, after `&&`, `read`, `source` …) leaves a doubt in the variable.
class Script {
public:
  Script(const ScriptRequest& request, DiagnosticEngine& diags);
  /// The command that starts a training; fails after a report where there are several, or where
  /// nobody knows whether it runs.
  FailureOr<LaunchCommand> launch();

private:
  LogicalResult statement();
  LogicalResult simpleStatement(std::size_t begin);
  LogicalResult skippedCommand(std::size_t begin);
  LogicalResult command(std::size_t begin);
  void connector();
  void arithmetic(std::size_t begin);
  void declaration(const std::string& keyword, std::size_t begin, std::size_t mark);
  void test(std::size_t begin);
  void leave(const std::string& keyword, SourceRange at);
  void changeArguments(const ShellWords& words, SourceRange at);
  LogicalResult otherText(const ShellWords& words, SourceRange at);
  LogicalResult tooLong(std::size_t begin);
  void setBatchVariables();
  // Functions.cpp
  LogicalResult call(const ShellFunction& function, const ShellWords& words, SourceRange at);
  LogicalResult follow(ReadPosition place, std::size_t open);
  // Documents.cpp
  LogicalResult documents();
  LogicalResult document(const HereDocument& document);
  // Sourced.cpp
  std::optional<LogicalResult> sourced(const ShellWords& words);

  const ScriptRequest& request;
  DiagnosticEngine& diags;
  ShellVariables variables;
  ScriptCursor in;
  Expansion expansion;
  Connection connection;
  Assignments assignments;
  Blocks blocks;
  LaunchSearch search;
  /// Variables that `local` hides while a function runs, by call.
  std::vector<std::map<std::string, ShellVariable>> locals;
  SourceRange exit;                     ///< the command that ended the script
  bool returned = false, ended = false; ///< by `return`, by `exit`
  std::vector<std::uint32_t> followed;  ///< files that were sourced
  std::vector<std::uint32_t> reading;   ///< the script and the files that are open in it
  std::map<std::string, ShellWord> batch;
  bool writesDocument = false; ///< the command of the here-document
};

} // namespace dpl::imports::shell
