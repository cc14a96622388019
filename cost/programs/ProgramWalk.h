#pragma once
//===- ProgramWalk.h - The segments of a body one by one
//---------------------------------------===//
//
// What the matrices of ProgramTime.h say of a whole body, for who needs to see inside it.
#include "cost/programs/ProgramTime.h"

namespace dpl::cost {

/// A segment that ran once; ps. Computation is longer than its time by what the calls beside it
/// cost it.
struct WalkedSegment {
  const ir::Segment& segment;
  std::uint64_t begin = 0, end = 0;
};

/// Takes the clocks over the body; when its outputs leave. Visits computation and calls in the
/// order in which the rank issues them.
std::uint64_t walk(const ir::StageProgram& program, FirstLast firstLast, const ActionCosts& costs,
                   Clocks& clocks, llvm::function_ref<void(const WalkedSegment&)> visit);

} // namespace dpl::cost
