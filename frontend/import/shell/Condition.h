#pragma once
//===- Condition.h - Conditions of a shell script over known values ---------------------------===//
#include "frontend/import/shell/Expansion.h"

namespace dpl::imports::shell {

/// Converts a shell pattern to one for fnmatch, in which quoted characters are escaped; returns
/// nothing if the text has an expansion.
std::optional<std::string> unquoted(llvm::StringRef text);

struct Condition {
  std::optional<bool> value;   ///< empty if unknown
  std::string unknownVariable; ///< the first unknown variable in the condition
  std::size_t end = 0;         ///< end of its last test; 0 before the first one
};

/// Evaluates the condition at the cursor: tests joined by `&&` and `||`, or only the first test.
/// The cursor does not move.
Condition conditionAt(ScriptCursor& in, Expansion& expansion, bool firstAlone = false);

} // namespace dpl::imports::shell
