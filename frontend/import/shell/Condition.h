#pragma once
//===- Condition.h - Conditions of a shell script over known values ---------------------------===//
#include "frontend/import/shell/Expansion.h"

namespace dpl::imports::shell {

/// Converts a shell pattern to a pattern for fnmatch, in which quoted characters are escaped.
/// Returns none if the text has an expansion.
std::optional<std::string> unquoted(llvm::StringRef text);

struct Condition {
  std::optional<bool> value;   ///< value of the condition; empty if it is not known
  std::string unknownVariable; ///< first variable in the condition that is not known
  std::size_t end = 0;         ///< end of its last test; 0 before the first one
};

/// Evaluates the condition at the cursor: tests that `&&` and `||` join. If `firstAlone` is set,
/// only the first test. The cursor does not move.
Condition conditionAt(ScriptCursor& in, Expansion& expansion, bool firstAlone = false);

} // namespace dpl::imports::shell
