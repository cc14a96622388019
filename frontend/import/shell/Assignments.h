#pragma once
//===- Assignments.h - Assignments of a shell script, and variables that they make unknown ----===//
#include "frontend/import/shell/Expansion.h"
#include <functional>

namespace dpl::imports::shell {

/// Whether a command with the option and one without it are the same to the caller.
using OptionPredicate = std::function<bool(llvm::StringRef option)>;

/// Executes the assignments at the cursor.
class Assignments {
public:
  Assignments(ScriptCursor& in, Expansion& expansion, ShellVariables& variables,
              const OptionPredicate& hasNoEffect)
      : in(in), expansion(expansion), variables(variables), hasNoEffect(hasNoEffect) {}

  /// `NAME=value`, `NAME+=value` or `NAME=( … )`; false if the cursor is not at an assignment.
  bool assignment();
  /// `export NAME=value …`, `declare` and the like. The cursor is after the keyword, and `mark` was
  /// taken before it.
  void declaration(std::size_t mark);
  /// Marks variables set since `mark` as unknown, unless only options without an effect were added.
  void doubtSince(std::size_t mark, SourceRange at, const std::string& what,
                  const std::string& decides = "");
  /// Marks all variables whose names are in the text as unknown.
  void doubtNames(llvm::StringRef written, SourceRange at, const std::string& what);

private:
  bool addsNothing(const std::string& name, std::size_t mark) const;

  ScriptCursor& in;
  Expansion& expansion;
  ShellVariables& variables;
  const OptionPredicate& hasNoEffect;
};

} // namespace dpl::imports::shell
