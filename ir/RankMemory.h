#pragma once
//===- RankMemory.h - Memory of the pipeline ranks from their schedule ------------------------===//
#include "ir/Plan.h"

namespace dpl::ir {

/// Bytes of one device of each pipeline rank at its peak. Needs costs, collectives and the
/// schedule; activations are the largest sum over the rank's own timeline, not a formula.
std::vector<RankMemory> memoryOf(const Plan& plan);

} // namespace dpl::ir
