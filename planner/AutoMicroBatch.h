#pragma once
//===- AutoMicroBatch.h - `micro_batch = auto`: the size with the fastest step
//--------------------===//
#include "passes/Pass.h"

namespace dpl::planner {

/// The sizes to try: all divisors of a data rank's share of the batch, or, of more than 24, the
/// powers of two among them. The share is a multiple of what the mesh allows.
std::vector<std::uint64_t> microBatchSizes(std::uint64_t share);

/// If the layout has `micro_batch = auto`, sets the size with the fastest step that fits; of
/// equally fast ones the largest, because it has the fewest micro-batches. Where nothing fits, it
/// is the one that needs the least memory. The mesh and the schedule must be known. The passes
/// report other errors of the plan.
void chooseMicroBatch(ir::Plan& plan);

} // namespace dpl::planner
