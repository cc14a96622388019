//===- RankSchedules.cpp - Per-rank schedules; candidates are executed ------------------------===//
#include "cost/execution/RankSchedules.h"
#include "cost/execution/Executor.h"

using namespace dpl::cost;

PerRankSchedules dpl::cost::perRankSchedules(const PipelineShape& shape,
                                             llvm::ArrayRef<ChunkTime> times) {
  Executor executor;
  return generateLists(shape, times,
                       [&](const PerRankSchedules& schedules,
                           llvm::ArrayRef<ChunkTime> taken) -> std::optional<std::uint64_t> {
                         const std::vector<llvm::ArrayRef<dpl::ir::ScheduledAction>> views(
                             schedules.begin(), schedules.end());
                         const Execution& run = executor.run(shape.placement(), shape.microBatches,
                                                             views, taken, true);
                         return run.completed ? std::optional(run.makespan) : std::nullopt;
                       });
}
