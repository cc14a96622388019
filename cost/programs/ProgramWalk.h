#pragma once
//===- ProgramWalk.h - Visits the segments of a stage program one by one ----------------------===//
//
// ProgramTime.h computes the time of a whole stage program; this file shows its segments.
#include "cost/programs/ProgramTime.h"

namespace dpl::cost {

/// A segment that ran once, in ps. Computation includes the slowdown by overlapped collectives.
struct WalkedSegment {
  const ir::Segment& segment;
  std::uint64_t begin = 0, end = 0;
};

/// Advances the clocks over a stage program and returns when its outputs are ready. Visits
/// computation and collectives in launch order.
std::uint64_t walk(const ir::StageProgram& program, FirstLast firstLast, const ActionCosts& costs,
                   Clocks& clocks, llvm::function_ref<void(const WalkedSegment&)> visit);

} // namespace dpl::cost
