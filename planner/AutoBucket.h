#pragma once
//===- AutoBucket.h - `gradient_bucket_size = auto`: the size with the fastest step -----------===//
#include "passes/Pass.h"

namespace dpl::planner {

/// The bucket sizes to try, in bytes: powers of two from a quarter of the smallest layer to all
/// gradients of a chunk. The plan must have its collectives, with one reduction per layer.
std::vector<std::uint64_t> bucketSizes(const ir::Plan& plan);

/// If the layout has `gradient_bucket_size = auto`, sets the size with the fastest step that fits.
/// It leaves the field unset if one reduction per layer is as fast. The mesh and the schedule must
/// be known. The passes report other errors of the plan.
void chooseBucket(ir::Plan& plan);

} // namespace dpl::planner
