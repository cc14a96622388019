#pragma once
//===- Arithmetic.h - What stands between `$((` and `))` --------------------------------------===//
#include "support/Diagnostics.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::imports::shell {

/// Sums, products and comparisons of whole numbers, as scripts compute world sizes: `+ - * / %`,
/// `== != < <= > >=`, `&& || !` and parentheses, up to 64 deep. Fails, without a report, on
/// anything else and where a number overflows.
FailureOr<long long> evaluate(llvm::StringRef expression);

} // namespace dpl::imports::shell
