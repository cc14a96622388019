#pragma once
//===- ControllableMemory.h - V-shaped schedules with less memory than 1F1B -------------------===//
#include "cost/schedules/Schedule.h"

namespace dpl::cost {

/// The slots in which a rank runs its first micro-batch, in units of one action: down and up
/// forward, then down and up backward. Each further micro-batch follows six slots later.
using BuildingBlock = std::array<std::int64_t, 4>;
void generateFromBlocks(llvm::ArrayRef<BuildingBlock> blocks, std::uint64_t microBatches,
                        PerRankSchedules& out);
ScheduleRule needsPipeline(const PipelineShape& shape);

} // namespace dpl::cost
