#pragma once
//===- RankMemory.h - Memory of the pipeline ranks from their schedule ------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// Bytes of one device of each pipeline rank at its peak. Needs costs, collectives and the
/// schedule; activations are the largest sum over the rank's own timeline, not a formula.
std::vector<ir::RankMemory> memoryOf(const ir::Plan& plan);

/// Parts of the transient memory. Whole layers of a rank that exist only while they are used:
double gatheredBytes(const ir::Plan& plan, std::uint64_t rank);
/// Buffers of messages: of the pipeline, and of an exchange of tokens between experts.
struct MessageBytes {
  double pipeline = 0, experts = 0;
};
MessageBytes messageBytes(const ir::Plan& plan);

} // namespace dpl::cost
