#pragma once
//===- SegmentTime.h - What a segment of a body takes in one micro-batch ----------------------===//
#include "ir/MicroBatchCosts.h"
#include "ir/StageProgram.h"

namespace dpl::ir {

/// ps of a segment of computation; gradients are coded alike whatever the micro-batch.
inline std::uint64_t timeOf(const ComputeSegment& s, CostRatio cost) {
  return s.kind == ComputeKind::Coding ? s.time : cost.of(s.time);
}

} // namespace dpl::ir
