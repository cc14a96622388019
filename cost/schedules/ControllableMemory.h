#pragma once
//===- ControllableMemory.h - V-shaped orders that hold a part of what 1F1B holds -------------===//
#include "cost/schedules/Schedule.h"

namespace dpl::cost {

/// When a rank runs the passes of its first micro-batch, in slots of one pass: down and up forward,
/// then down and up backward. Every other one follows six slots later.
using BuildingBlock = std::array<std::int64_t, 4>;
void generateFromBlocks(llvm::ArrayRef<BuildingBlock> blocks, std::uint64_t microBatches,
                        PerRankSchedules& out);
ScheduleRule needsPipeline(const PipelineShape& shape);

} // namespace dpl::cost
