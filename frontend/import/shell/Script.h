#pragma once
//===- Script.h - The command that a launch script runs ---------------------------------------===//
#include "frontend/import/shell/LaunchSearch.h"

namespace dpl::imports::shell {

/// A script to follow. The importer sets the predicates for the program that the script starts.
struct ScriptRequest {
  const SourceManager& sources;
  std::uint32_t file;
  /// Pairs NAME, VALUE: variables that the script expects in its environment.
  const std::vector<std::pair<std::string, std::string>>& defines;
  /// Adds a file to the sources. `path` is relative to the folder of the script. Returns none if
  /// there is no such file. If the function is empty, the script cannot source files.
  std::function<std::optional<std::uint32_t>(llvm::StringRef path)> addSourcedFile;
  CommandPredicate trains;     ///< whether a command starts the training
  OptionPredicate hasNoEffect; ///< whether an option of the training has no effect
};

/// The command that starts the training. Values of `#SBATCH` lines apply to the whole job.
struct LaunchCommand {
  ShellWords words;   ///< empty if no command was found
  ShellWords unknown; ///< words that may start the training and are not known, if `words` is empty
  std::map<std::string, ShellWord> batch = {}; ///< values of `#SBATCH` options: "--nodes"
  std::vector<std::uint32_t> sourced = {};     ///< files that the script sources
  SourceRange exit = {};                       ///< place of the `exit` that ended the script
};

/// Follows a shell script without running anything. If a statement may set a variable and is not a
/// plain assignment (in a block, after `&&`, `read`, `source` …), the variable becomes unknown.
class Script {
public:
  Script(const ScriptRequest& request, DiagnosticEngine& diags);
  /// The command that starts the training. Fails, after a report, if there are several, or if it is
  /// not known whether the command runs.
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
  /// For each open function call, the values that `local` hides.
  std::vector<std::map<std::string, ShellVariable>> locals;
  SourceRange exit;                     ///< the `exit` that ended the script
  bool returned = false, ended = false; ///< whether `return`, or `exit`, ended it
  std::vector<std::uint32_t> followed;  ///< files that were sourced
  std::vector<std::uint32_t> reading;   ///< the script and the sourced files that are being read
  std::map<std::string, ShellWord> batch;
  bool writesDocument = false; ///< whether the next here-document is written to a file
};

} // namespace dpl::imports::shell
