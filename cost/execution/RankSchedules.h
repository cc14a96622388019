#pragma once
//===- RankSchedules.h - Per-rank schedules; candidates are executed --------------------------===//
#include "cost/schedules/Schedule.h"

namespace dpl::cost {

/// The schedules of all ranks. `times` by Placement::indexOf are for schedules that choose the
/// order by time; without them all actions take equally long. Orders that a schedule compares are
/// executed.
PerRankSchedules perRankSchedules(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times = {});

} // namespace dpl::cost
