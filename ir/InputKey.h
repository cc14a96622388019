#pragma once
//===- InputKey.h - A hash of everything that the compiler passes read of a plan --------------===//
#include "ir/Plan.h"

namespace dpl::ir {

/// Calls `use` with each range of a plan that messages of passes may contain, in an order that
/// depends only on the input of the passes.
void visitRanges(const Plan& plan, llvm::function_ref<void(SourceRange)> use);

/// A hash of a plan before the passes: its content hash with its file, framework, thresholds, runs,
/// launches and spaces, and the names of the fields that the file sets. Passes report the same
/// messages about plans with equal keys, except that ranges differ.
std::uint64_t inputKey(const Plan& plan);

} // namespace dpl::ir
