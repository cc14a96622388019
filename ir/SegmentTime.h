#pragma once
//===- SegmentTime.h - The time of a segment in one micro-batch -------------------------------===//
#include "ir/MicroBatchCosts.h"
#include "ir/StageProgram.h"

namespace dpl::ir {

/// ps of a compute segment. Coding of gradients takes equally long in all micro-batches.
inline std::uint64_t timeOf(const ComputeSegment& s, CostRatio cost) {
  return s.kind == ComputeKind::Coding ? s.time : cost.of(s.time);
}

} // namespace dpl::ir
