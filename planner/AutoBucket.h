#pragma once
//===- AutoBucket.h - `gradient_bucket_size = auto`: the size with the fastest step -----------===//
#include "passes/Pass.h"

namespace dpl::planner {

/// Powers of two that are worth a try, of a plan with reductions of a layer each that is complete
/// up to its collectives: from a quarter of the smallest to all gradients of a chunk.
std::vector<std::uint64_t> bucketSizes(const ir::Plan& plan);

/// Where the layout says `gradient_bucket_size = auto`, writes the size into it with which the step
/// is fastest and fits; none where a layer's reductions in one are as fast. The mesh and the
/// schedule are known. What is wrong with the plan at any size is left to the passes.
void chooseBucket(ir::Plan& plan);

} // namespace dpl::planner
