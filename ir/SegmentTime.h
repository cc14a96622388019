#pragma once
//===- SegmentTime.h - What a segment of a body takes in one micro-batch ----------------------===//
#include "ir/Body.h"
#include "ir/MicroBatchCosts.h"

namespace dpl::ir {

/// ps of a segment of computation; gradients are coded alike whatever the micro-batch.
inline std::uint64_t timeOf(const Segment& s, CostRatio cost) {
  return s.part == ComputePart::Coding ? s.time : cost.of(s.time);
}

} // namespace dpl::ir
