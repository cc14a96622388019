#pragma once
//===- Blocks.h - Blocks and functions of a shell script --------------------------------------===//
#include "frontend/import/shell/Assignments.h"
#include "frontend/import/shell/Condition.h"

namespace dpl::imports::shell {

/// How a statement is connected to the one before it.
struct Connection {
  std::string by;             ///< operator before the statement: `&&`, `||` or `|`
  bool conditional = false;   ///< whether it is not known if the statement runs
  bool passedOver = false;    ///< whether the statement is skipped after `&&` or `||`
  std::optional<bool> status; ///< exit status of the previous statement, if known
  /// Ends a list of commands that `&&`, `||` or `|` connect. The exit status is kept.
  void end() { conditional = false, by.clear(); }
};

struct ShellBlock {
  std::string keyword; ///< "(" for a subshell, "function" for a function definition
  std::size_t begin, mark;
  bool conditional = false;
  std::string name = "";            ///< name of the function, or of the variable of a loop
  std::string unknownVariable = ""; ///< first variable in the condition that is not known
  // Fields of an `if`:
  std::optional<bool> live = std::nullopt; ///< whether the branch runs; empty if unknown
  bool branchTaken = false;                ///< whether this branch or one before it runs
  std::size_t branch = 0;                  ///< mark of the variables at the beginning of the branch
  // Fields of a `case` over a known value:
  std::optional<std::string> subject = std::nullopt;
  bool pattern = false; ///< whether the next word is a pattern, or `esac`
  // Fields of a loop whose iterations are known:
  std::optional<std::size_t> loopStart = std::nullopt; ///< position at which an iteration begins
  ShellWords items = {}; ///< remaining words of a `for`, last one first
};

struct ShellFunction {
  std::set<std::string> names; ///< variables that the function sets
  ReadPosition body;
};

/// Limits the loop iterations and function calls, and the bytes read for them.
class RepetitionLimit {
public:
  /// Counts an iteration or call. False at the limit, which launch scripts do not come near.
  bool another() { return ++count <= 5'000 && bytes <= std::size_t{1} << 20; }
  void add(std::size_t read) { bytes += read; }

private:
  unsigned count = 0;
  std::size_t bytes = 0;
};

/// The open blocks at the cursor, and which of them run.
class Blocks {
public:
  Blocks(ScriptCursor& in, Expansion& expansion, ShellVariables& variables,
         Assignments& assignments, Connection& connection)
      : in(in), expansion(expansion), variables(variables), assignments(assignments),
        connection(connection) {}

  std::size_t size() const { return open.size(); }
  bool inSubshell() const { return !open.empty() && open.back().keyword == "("; }
  /// Whether no open block is known to be skipped.
  bool runs() const;
  /// Whether all open blocks are known to run.
  bool runsForSure() const;
  /// The outermost block of which it is not known whether it runs; null if there is none.
  const ShellBlock* undecided() const;
  /// The outermost function definition around the cursor; null if there is none.
  const ShellBlock* functionBody() const;
  const ShellFunction* function(const std::string& name) const;

  ShellBlock& push(const char* keyword, std::size_t begin, bool conditional = false);
  void remove(std::size_t index) { open.erase(open.begin() + static_cast<std::ptrdiff_t>(index)); }
  /// Handles a keyword that opens a block. Afterwards the cursor is before the first statement or
  /// condition.
  bool opens(const std::string& keyword, std::size_t begin);
  bool closes(const std::string& keyword);
  void closeInnermost();
  /// Reads the definition of a function. The cursor is after the name.
  void defineFunction(const std::string& name, std::size_t begin);
  /// Handles `elif` and `else`. Changes that a skipped branch made are rolled back.
  void nextBranch(llvm::StringRef keyword);

  // Case.cpp
  /// Reads the patterns of a clause, `a | b)`, if they are next, and decides whether the clause
  /// runs.
  bool pattern();
  /// Reads the `;;` at the end of a clause. After `;&` it is not known which clauses run.
  bool endsClause();

  // Loops.cpp
  /// Handles `break` and `continue`: variables that the loop sets after them become unknown.
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
