#pragma once
//===- RankSchedules.h - The lists of a shape, executed where a row compares orders -----------===//
#include "cost/schedules/Schedule.h"

namespace dpl::cost {

/// The lists of all ranks. `times` by Placement::indexOf, for a row that orders by them: without
/// any all passes take equally long.
PerRankSchedules perRankSchedules(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times = {});

} // namespace dpl::cost
