#pragma once
//===- Assignments.h - What a shell script sets, and what that leaves unknown -----------------===//
#include "frontend/import/shell/Expansion.h"
#include <functional>

namespace dpl::imports::shell {

/// Whether the caller does without an option: a command with it and without it are the same.
using OptionPredicate = std::function<bool(llvm::StringRef option)>;

/// Sets variables as the statements at the cursor do.
class Assignments {
public:
  Assignments(ScriptCursor& in, Expansion& expansion, ShellVariables& variables,
              const OptionPredicate& hasNoEffect)
      : in(in), expansion(expansion), variables(variables), hasNoEffect(hasNoEffect) {}

  /// `NAME=value`, `NAME+=value` or `NAME=( … )`; false when something else stands there.
  bool assignment();
  /// `export NAME=value …` and its relatives; the cursor stands after the keyword, and `mark` is
  /// the one before it.
  void declaration(std::size_t mark);
  /// Leaves a doubt in what was set since `mark`, unless it only added options without an effect.
  void doubtSince(std::size_t mark, SourceRange at, const std::string& what,
                  const std::string& decides = "");
  /// Leaves a doubt in all variables whose names stand in a text.
  void doubtNames(llvm::StringRef written, SourceRange at, const std::string& what);

private:
  bool addsNothing(const std::string& name, std::size_t mark) const;

  ScriptCursor& in;
  Expansion& expansion;
  ShellVariables& variables;
  const OptionPredicate& hasNoEffect;
};

} // namespace dpl::imports::shell
