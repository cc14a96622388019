#pragma once
//===- Expansion.h - The words of a shell script ----------------------------------------------===//
#include "frontend/import/shell/WordList.h"

namespace dpl::imports::shell {

/// Reads words and expands what stands in them without running anything. What depends on the
/// surroundings (`$SLURM_NNODES`, `$(hostname)`) stays as it is written, with a doubt.
class Expansion {
public:
  Expansion(ScriptCursor& in, ShellVariables& variables)
      : in(in), variables(variables), limit(std::make_shared<ValueBudget>(variables)) {}

  /// Words up to the end of the command, or of the array with `closing` = ')'.
  ShellWords words(char closing);
  /// One word, expanded: none or several where a variable is not quoted.
  ShellWords word();
  /// The value of what stands between `((` and `))`; `begin` is where they begin.
  ShellWord calculated(const std::string& expression, std::size_t begin);
  /// The value of a text as between double quotes.
  ShellWord inQuotes(llvm::StringRef inside, std::size_t begin);
  /// The value of a plain variable, the first one of an array.
  ShellWord valueOf(const std::string& name, const std::string& otherwise, std::size_t begin) const;
  /// The doubt of an expansion that begins there and depends on the surroundings; `variable` would
  /// say it.
  DoubtPointer outside(std::size_t begin, const std::string& variable) const;
  ValueBudget& budget() { return *limit; }

  /// Reads a document as the shell that gets it: `\$` is `$` there.
  bool escaped = false;

private:
  Expansion(ScriptCursor& in, const Expansion& outer)
      : in(in), variables(outer.variables), limit(outer.limit), depth(outer.depth + 1) {}
  void backquoted(WordList& out, std::size_t begin);
  void doubleQuoted(WordList& out, std::size_t begin);
  void redirection();

  ScriptCursor& in;
  ShellVariables& variables;
  std::shared_ptr<ValueBudget> limit; ///< shared with the expansions inside
  unsigned depth = 0;                 ///< how many expansions this one is inside of
};

} // namespace dpl::imports::shell
