#pragma once
//===- Assignments.h - Assignments of a shell script, and variables that they make unknown ----===//
#include "frontend/import/shell/Expansion.h"
#include <functional>

namespace dpl::imports::shell {

/// Whether an option makes no difference for the importer.
using OptionPredicate = std::function<bool(llvm::StringRef option)>;

/// Executes the assignments at the cursor.
class Assignments {
public:
  Assignments(ScriptCursor& in, Expansion& expansion, ShellVariables& variables,
              const OptionPredicate& hasNoEffect)
      : in(in), expansion(expansion), variables(variables), hasNoEffect(hasNoEffect) {}

  /// Executes `NAME=value`, `NAME+=value` or `NAME=( … )`. False if there is no assignment at the
  /// cursor.
  bool assignment();
  /// Executes `export NAME=value …`, `declare` and similar commands. The cursor is after the
  /// keyword. `mark` is the mark of the variables before it.
  void declaration(std::size_t mark);
  /// Marks the variables that were set since `mark` as unknown, except those to which only options
  /// without an effect were added.
  void doubtSince(std::size_t mark, SourceRange at, const std::string& what,
                  const std::string& decides = "");
  /// Marks all variables as unknown whose names occur in a text.
  void doubtNames(llvm::StringRef written, SourceRange at, const std::string& what);

private:
  bool addsNothing(const std::string& name, std::size_t mark) const;

  ScriptCursor& in;
  Expansion& expansion;
  ShellVariables& variables;
  const OptionPredicate& hasNoEffect;
};

} // namespace dpl::imports::shell
