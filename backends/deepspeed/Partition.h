#pragma once
//===- Partition.h - PipelineModule's placement of layers on stages ---------------------------===//
#include "ir/Plan.h"

namespace dpl::deepspeed {

/// The first layer of each stage in a list of layers, and the end of the list.
using StageStarts = std::vector<std::uint64_t>;

/// partition_uniform of runtime/utils.py: stages have equal numbers of layers, and the first ones
/// have one more if there is a remainder.
StageStarts partitionUniform(std::uint64_t items, std::uint64_t parts);
/// partition_balanced of runtime/utils.py: the split with the smallest difference between the
/// heaviest and the lightest stage. Ties are broken as in DeepSpeed. The time is O(items² · parts).
StageStarts partitionBalanced(const std::vector<std::uint64_t>& weights, std::uint64_t parts);

/// The plan's placement, as stage starts in the list that the script passes to PipelineModule:
/// embedding, layers, head.
StageStarts partsOf(const ir::Plan& plan);
/// The `partition_method` with which DeepSpeed places layers as the plan does, or null.
const char* partitionMethodOf(const ir::Plan& plan);

} // namespace dpl::deepspeed
