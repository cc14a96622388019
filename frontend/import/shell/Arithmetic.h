#pragma once
//===- Arithmetic.h - The value of an arithmetic expansion `$((…))` ---------------------------===//
#include "support/Diagnostics.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::imports::shell {

/// Evaluates an expression of whole numbers, as scripts use it to compute world sizes: `+ - * / %
/// **`, `== != < <= > >=`, `&& || !` and parentheses, up to 64 deep. Fails, without a report, on
/// everything else and if a number overflows.
FailureOr<long long> evaluate(llvm::StringRef expression);

} // namespace dpl::imports::shell
