#pragma once
//===- Partition.h - How PipelineModule places a list of layers on stages ---------------------===//
#include "ir/Plan.h"

namespace dpl::deepspeed {

/// Where each stage begins in a list of layers; one entry more than stages.
using StageStarts = std::vector<std::uint64_t>;

/// runtime/utils.py, partition_uniform: the first stages get one layer more.
StageStarts partitionUniform(std::uint64_t items, std::uint64_t parts);
/// runtime/utils.py, partition_balanced: least difference between the heaviest and the lightest
/// stage. Its choice among equals is reproduced. O(items² · parts).
StageStarts partitionBalanced(const std::vector<std::uint64_t>& weights, std::uint64_t parts);

/// The plan's placement, over the list that the script gives PipelineModule: embedding, layers,
/// head.
StageStarts partsOf(const ir::Plan& plan);
/// The `partition_method` that gives this placement; null when none does.
const char* partitionMethodOf(const ir::Plan& plan);

} // namespace dpl::deepspeed
