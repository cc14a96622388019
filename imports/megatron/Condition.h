#pragma once
//===- Condition.h - Tests of a shell over values that are known ------------------------------===//
#include "imports/megatron/Variables.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::imports::megatron {

/// What stands between `[` and `]`, or, `doubled`, between `[[` and `]]`, as true or false. Nothing
/// where a value is not known, or the test asks for what the file does not say (whether a path
/// exists) or for a pattern.
std::optional<bool> holds(llvm::ArrayRef<Word> test, bool doubled);

} // namespace dpl::imports::megatron
