#pragma once
//===- Script.h - The command that a launch script runs ---------------------------------------===//
#include "frontend/import/Megatron.h"
#include "frontend/import/shell/Expansion.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace dpl::imports::megatron {

inline bool isAny(llvm::StringRef word, std::initializer_list<const char*> words) {
  return llvm::is_contained(words, word);
}

/// Commands that name a file and do not run it.
bool onlyNames(llvm::StringRef command);
/// A script that is named as a training, or is given the sizes of a model.
bool trains(const ShellWords& words);

/// What starts the training. Counts of `#SBATCH` lines hold for the whole job.
struct LaunchCommand {
  ShellWords words;
  std::map<std::string, ShellWord> batch; ///< "--nodes" to its value
  std::vector<std::uint32_t> sourced;     ///< files that the script sources
  ShellWords unknown; ///< without `words`: what may start the training, and nobody knows
};

/// Follows a shell script without running anything. A statement that may set a variable and is no
/// plain assignment (in a block, behind `&&`, `read`, `source` …) leaves a doubt in the variable.
class Script {
public:
  Script(const LaunchImport& request, DiagnosticEngine& diags);
  /// The command that starts a training of Megatron-LM; fails when there is none, or several.
  FailureOr<LaunchCommand> launch();

private:
  struct ShellBlock {
    std::string keyword; ///< "(" of a subshell, "function" of a function's body
    std::size_t begin, mark;
    bool conditional;
    std::string name;                 ///< of the function
    std::string unknownVariable = ""; ///< a variable that its condition has and nobody knows
    // Of an `if`:
    std::optional<bool> live = std::nullopt; ///< whether the branch runs; nothing: nobody knows
    bool branchTaken = false;                ///< a branch before, or this one, runs
    std::size_t branch = 0;                  ///< the mark at which it begins
    // Of a `case` over a known value:
    std::optional<std::string> subject = std::nullopt;
    bool pattern = false; ///< the next word is a pattern, or `esac`
    // Of a loop whose turns are known:
    std::optional<std::size_t> loopStart = std::nullopt; ///< where the next turn begins
    ShellWords items = {}; ///< that `for` has not had yet, last one first
  };
  LogicalResult statement();
  LogicalResult command(std::size_t begin, std::size_t mark);
  void connector();
  // Training.cpp
  LogicalResult training(const ShellWords& words, std::size_t begin);
  const ShellWord* mayStart(const ShellWords& words) const;
  LogicalResult notFollowed(const ShellBlock& block);
  bool assignment();
  void declaration(std::size_t mark);
  // Blocks.cpp
  bool opens(const std::string& keyword, std::size_t begin);
  bool closes(const std::string& keyword);
  void closeBlock();
  void functionBody(const std::string& name, std::size_t begin);
  // Loops.cpp
  bool beginFor(const ShellWords& items, const std::string& name);
  bool nextIteration();
  void leaveLoop();
  // Functions.cpp
  std::optional<LogicalResult> callFunction(const ShellWords& words);
  LogicalResult follow(Expansion::ReadPosition place, std::size_t open);
  void setBatchVariables();
  // Documents.cpp
  LogicalResult documents();
  // Case.cpp
  void beginCase(ShellBlock& block);
  bool pattern();
  bool endsClause();
  // Sourced.cpp
  std::optional<LogicalResult> sourced(const ShellWords& words);
  // ThroughShell.cpp
  std::optional<ShellWords> throughShell(const ShellWords& words);
  // Condition.cpp
  std::optional<bool> condition(ShellBlock& block, std::size_t* first = nullptr);
  void decide(ShellBlock& block);
  void nextBranch(llvm::StringRef keyword);
  bool runs() const;
  bool addsNothing(const std::string& name, std::size_t mark) const;
  bool pipeFollows();
  void doubtSince(std::size_t mark, SourceRange at, const std::string& what,
                  const std::string& decides = "");
  void doubtNames(llvm::StringRef written, SourceRange at, const std::string& what);
  LogicalResult refused(SourceRange at, const std::string& why);

  const LaunchImport& request;
  DiagnosticEngine& diags;
  llvm::StringRef text; ///< of the script, or of the file that it sources
  std::uint32_t file;
  ShellVariables variables;
  Expansion in;
  std::vector<ShellBlock> blocks;
  struct ShellFunction {
    std::set<std::string> names; ///< that it sets
    Expansion::ReadPosition body;
  };
  std::map<std::string, ShellFunction> functions;
  /// What `local` hides while a function runs, by call.
  std::vector<std::map<std::string, ShellVariable>> locals;
  std::string connected; ///< the `&&`, `||` or `|` that the statement stands behind
  bool conditional = false;
  bool passedOver = false;    ///< the statement stands behind a `&&` or `||` that does not run it
  std::optional<bool> status; ///< of the last statement, where it is known
  SourceRange exit;           ///< that ended the script
  bool returned = false, ended = false; ///< by `return`, by `exit`
  /// Turns of loops and calls of functions, and the bytes that were read for them.
  unsigned repetitions = 0;
  std::size_t repeated = 0;
  bool mayRepeat();
  std::vector<std::uint32_t> followed; ///< files that were sourced
  std::vector<std::uint32_t> reading;  ///< the script and the files that are open in it
  std::optional<ShellWords> found;
  SourceRange foundAt;
  std::map<std::string, ShellWord> batch;
  std::optional<ShellWords>
      inDocument;              ///< what starts the training in a document that becomes a file
  bool writesDocument = false; ///< the command of the here-document
  ShellWords unknown;          ///< first words of what may start the training
  std::optional<ShellBlock> uncalled; ///< a function that starts it and that nothing calls
};

} // namespace dpl::imports::megatron
