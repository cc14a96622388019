#pragma once
//===- Partition.h - PipelineModule's placement of layers on stages ---------------------------===//
#include "ir/Plan.h"

namespace dpl::deepspeed {

/// The first layer of each stage in a list of layers, and the end of the list.
using StageStarts = std::vector<std::uint64_t>;

/// runtime/utils.py, partition_uniform: the first stages get one layer more.
StageStarts partitionUniform(std::uint64_t items, std::uint64_t parts);
/// runtime/utils.py, partition_balanced: the smallest difference between the heaviest and the
/// lightest stage. Ties are broken as DeepSpeed does. O(items² · parts).
StageStarts partitionBalanced(const std::vector<std::uint64_t>& weights, std::uint64_t parts);

/// The plan's placement over the script's list for PipelineModule: embedding, layers, head.
StageStarts partsOf(const ir::Plan& plan);
/// The `partition_method` that gives this placement, or null.
const char* partitionMethodOf(const ir::Plan& plan);

} // namespace dpl::deepspeed
