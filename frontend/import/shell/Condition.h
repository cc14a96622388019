#pragma once
//===- Condition.h - Tests of a shell over values that are known ------------------------------===//
#include "frontend/import/shell/Expansion.h"

namespace dpl::imports::shell {

/// A pattern of a shell as fnmatch takes it, in which what was quoted stands for itself; nothing
/// where it has an expansion.
std::optional<std::string> unquoted(llvm::StringRef text);

struct Condition {
  std::optional<bool> value;   ///< nothing where nobody knows it
  std::string unknownVariable; ///< the first variable in it whose value nobody knows
  std::size_t end = 0;         ///< where its last test ends; 0 before the first one
};

/// The condition that begins at the cursor: tests joined by `&&` and `||`, or its first test alone.
/// The cursor stays where it is.
Condition conditionAt(ScriptCursor& in, Expansion& expansion, bool firstAlone = false);

} // namespace dpl::imports::shell
