#pragma once
//===- Expansion.h - Words of a shell script after expansion ----------------------------------===//
#include "frontend/import/shell/WordList.h"

namespace dpl::imports::shell {

/// Reads words and expands them without running anything. An expansion that depends on the
/// environment (`$SLURM_NNODES`, `$(hostname)`) stays as it is written, with a doubt.
class Expansion {
public:
  Expansion(ScriptCursor& in, ShellVariables& variables)
      : in(in), variables(variables), limit(std::make_shared<ValueBudget>(variables)) {}

  /// Reads the words up to the end of the command, or of the array if `closing` is ')'.
  ShellWords words(char closing);
  /// Reads one word and expands it. It becomes none or several words if a variable in it is not
  /// quoted.
  ShellWords word();
  /// The value of the expression between `((` and `))`, which begin at `begin`.
  ShellWord calculated(const std::string& expression, std::size_t begin);
  /// The value of a text as if it were between double quotes.
  ShellWord inQuotes(llvm::StringRef inside, std::size_t begin);
  /// The value of a variable, or of the first element of an array; `otherwise` if it is not set.
  ShellWord valueOf(const std::string& name, const std::string& otherwise, std::size_t begin) const;
  /// A doubt about an expansion at `begin` that depends on the environment. `variable` is the name
  /// that `--define` can set.
  DoubtPointer outside(std::size_t begin, const std::string& variable) const;
  ValueBudget& budget() { return *limit; }

  /// Whether the text is a here-document without quotes, in which `\$` is `$`.
  bool escaped = false;

private:
  Expansion(ScriptCursor& in, const Expansion& outer)
      : in(in), variables(outer.variables), limit(outer.limit), depth(outer.depth + 1) {}
  void backquoted(WordList& out, std::size_t begin);
  void doubleQuoted(WordList& out, std::size_t begin);
  void redirection();

  ScriptCursor& in;
  ShellVariables& variables;
  std::shared_ptr<ValueBudget> limit; ///< shared with inner expansions
  unsigned depth = 0;                 ///< number of expansions around this one
};

} // namespace dpl::imports::shell
