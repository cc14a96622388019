#pragma once
//===- Script.h - The command that a launch script runs ---------------------------------------===//
#include "imports/Megatron.h"
#include "imports/megatron/Expansion.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace dpl::imports::megatron {

inline bool isAny(llvm::StringRef word, std::initializer_list<const char*> words) {
  return llvm::is_contained(words, word);
}

/// What starts the training. Counts of `#SBATCH` lines hold for the whole job.
struct Command {
  Words words;
  std::map<std::string, Word> batch;  ///< "--nodes" to its value
  std::vector<std::uint32_t> sourced; ///< files that the script sources
};

/// Follows a shell script without running anything. A statement that may set a variable and is no
/// plain assignment (in a block, behind `&&`, `read`, `source` …) leaves a doubt in the variable.
class Script {
public:
  Script(const LaunchImport& request, DiagnosticEngine& diags);
  /// The command that starts a training of Megatron-LM; fails when there is none, or several.
  FailureOr<Command> launch();

private:
  struct Block {
    std::string keyword; ///< "(" of a subshell, "function" of a function's body
    std::size_t begin, mark;
    bool conditional;
    std::string name;      ///< of the function
    std::string asks = ""; ///< a variable that its condition has and nobody knows
    // Of an `if`:
    std::optional<bool> live = std::nullopt; ///< whether the branch runs; nothing: nobody knows
    bool taken = false;                      ///< a branch before, or this one, runs
    std::size_t branch = 0;                  ///< the mark at which it begins
    // Of a `case` over a known value:
    std::optional<std::string> subject = std::nullopt;
    bool pattern = false; ///< the next word is a pattern, or `esac`
  };
  LogicalResult statement();
  LogicalResult command(std::size_t begin, std::size_t mark);
  LogicalResult training(const Words& words, std::size_t begin);
  void connector();
  bool assignment();
  void declaration(std::size_t mark);
  // Blocks.cpp
  bool opens(const std::string& keyword, std::size_t begin);
  bool closes(const std::string& keyword);
  void closeBlock();
  void functionBody(const std::string& name, std::size_t begin);
  // Case.cpp
  void beginCase(Block& block);
  bool pattern();
  bool endsClause();
  // Sourced.cpp
  std::optional<LogicalResult> sourced(const Words& words);
  // ThroughShell.cpp
  std::optional<Words> throughShell(const Words& words);
  // Condition.cpp
  std::optional<bool> condition(Block& block);
  void decide(Block& block);
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
  Variables variables;
  Expansion in;
  std::vector<Block> blocks;
  std::map<std::string, std::set<std::string>> functions; ///< to the names that they set
  std::string connected; ///< the `&&`, `||` or `|` that the statement stands behind
  bool conditional = false, certain = false;
  std::vector<std::uint32_t> followed; ///< files that were sourced
  std::vector<std::uint32_t> reading;  ///< the script and the files that are open in it
  std::optional<Words> found;
  SourceRange foundAt;
};

} // namespace dpl::imports::megatron
