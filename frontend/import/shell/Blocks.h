#pragma once
//===- Blocks.h - Blocks and functions of a shell script that is followed ---------------------===//
#include "frontend/import/shell/Assignments.h"
#include "frontend/import/shell/Condition.h"

namespace dpl::imports::shell {

/// How a statement is connected to the one before it.
struct Connection {
  std::string by;             ///< `&&`, `||` or `|`
  bool conditional = false;   ///< nobody knows whether it runs
  bool passedOver = false;    ///< it stands after a `&&` or `||` that does not run it
  std::optional<bool> status; ///< exit status of the statement before, where it is known
  /// A statement of its own comes next.
  void end() { conditional = false, by.clear(); }
};

struct ShellBlock {
  std::string keyword; ///< "(" of a subshell, "function" of a function's body
  std::size_t begin, mark;
  bool conditional = false;
  std::string name = "";            ///< the function, or the variable of a loop
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
  ShellWords items = {}; ///< words that `for` has not had yet, last one first
};

struct ShellFunction {
  std::set<std::string> names; ///< variables that it sets
  ReadPosition body;
};

/// Bounds turns of loops and calls of functions, and the bytes that are read for them.
class RepetitionLimit {
public:
  /// Counts one more; false where there are too many. What a script with options takes is far
  /// below.
  bool another() { return ++count <= 5'000 && bytes <= std::size_t{1} << 20; }
  void add(std::size_t read) { bytes += read; }

private:
  unsigned count = 0;
  std::size_t bytes = 0;
};

/// The blocks that are open at the cursor, and which of them run.
class Blocks {
public:
  Blocks(ScriptCursor& in, Expansion& expansion, ShellVariables& variables,
         Assignments& assignments, Connection& connection)
      : in(in), expansion(expansion), variables(variables), assignments(assignments),
        connection(connection) {}

  std::size_t size() const { return open.size(); }
  bool inSubshell() const { return !open.empty() && open.back().keyword == "("; }
  /// Whether no block around the cursor is known not to run.
  bool runs() const;
  /// Whether all of them are known to run.
  bool runsForSure() const;
  /// The outermost block of which nobody knows whether it runs; null where there is none.
  const ShellBlock* undecided() const;
  /// The outermost function whose body the cursor stands in; null where there is none.
  const ShellBlock* functionBody() const;
  const ShellFunction* function(const std::string& name) const;

  ShellBlock& push(const char* keyword, std::size_t begin, bool conditional = false);
  void remove(std::size_t index) { open.erase(open.begin() + static_cast<std::ptrdiff_t>(index)); }
  /// Opening keywords leave the cursor before the first statement of the block, or of its
  /// condition.
  bool opens(const std::string& keyword, std::size_t begin);
  bool closes(const std::string& keyword);
  void closeInnermost();
  /// The cursor stands after the function's name.
  void defineFunction(const std::string& name, std::size_t begin);
  /// At `elif` and `else`. What a branch did that does not run is taken back.
  void nextBranch(llvm::StringRef keyword);

  // Case.cpp
  /// The patterns of a clause, `a | b)`, where they are due; decides whether the clause runs.
  bool pattern();
  /// `;;` of the clause; one that falls through to the next leaves a doubt in both.
  bool endsClause();

  // Loops.cpp
  /// `break` and `continue`: what the loop does from here on is not followed.
  void leaveLoop();

  RepetitionLimit repetitions;

private:
  std::optional<bool> condition(ShellBlock& block);
  void decide(ShellBlock& block);
  void beginCase(ShellBlock& block);
  void beginLoop(const std::string& keyword, std::size_t begin);
  bool beginFor(const ShellWords& items, const std::string& name);
  bool nextIteration();

  ScriptCursor& in;
  Expansion& expansion;
  ShellVariables& variables;
  Assignments& assignments;
  Connection& connection;
  std::vector<ShellBlock> open;
  std::map<std::string, ShellFunction> functions;
};

} // namespace dpl::imports::shell
