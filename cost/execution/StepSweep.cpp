//===- StepSweep.cpp - The step without the time of some collectives --------------------------===//
#include "cost/execution/StepSweep.h"
#include "cost/compute/OperatorTime.h"
#include "cost/execution/Proof.h"
#include "cost/schedules/Schedule.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
StoredOrder storedOrderOf(const Plan& plan) {
  const auto lists = actionsOf(plan);
  const std::vector<ChunkTime> noTimes(plan.placement.stageReplicas());
  Executor run;
  run.run(plan.placement, plan.mesh.microBatches, lists, noTimes, true);
  return {plan.placement, plan.mesh.microBatches, PerRankSchedules(lists.begin(), lists.end()), run,
          MicroBatchCosts(plan.layout.microBatchCosts)};
}
} // namespace

StepSweep::StepSweep(const Plan& plan) : plan(plan), order(storedOrderOf(plan)) {
  for (const RankNodeTypes& ranks : plan.mesh.rankNodeTypes)
    pacingDevicesOfRanks.push_back(pacingDevices(plan, ranks));
}

std::uint64_t StepSweep::run(IncludesCollective includes) {
  chunks.addAll(plan, includes);
  return run(chunks);
}

std::uint64_t StepSweep::run(const StepChunks& of) {
  return sweptStep(plan, plan.mesh.microBatches, order, steady, of, pacingDevicesOfRanks);
}

std::uint64_t dpl::cost::endOfSchedule(const Plan& plan) {
  if (!plan.steady.empty())
    return plan.steady.front().period;
  std::uint64_t step = 0;
  for (const RankSchedule& rank : plan.schedule) {
    std::uint64_t begin = UINT64_MAX, end = 0;
    for (std::size_t i = 0; i < rank.actions.size(); ++i)
      begin = std::min(begin, rank.start[i]), end = std::max(end, rank.endOf(i));
    if (!rank.actions.empty())
      step = std::max(step, plan.layout.postValidation ? end - begin : end);
  }
  return step;
}

namespace {
/// ps of the step including its end: remaining collectives of the actions, collectives at the end,
/// the barrier and the update. `chunks` are by Placement::indexOf.
std::uint64_t endOfStep(const Plan& plan, std::uint64_t microBatches,
                        llvm::ArrayRef<ChunkStep> chunks, llvm::ArrayRef<SweptRank> ranks,
                        llvm::ArrayRef<std::vector<Device>> held) {
  const RankEpilogues epilogues = epiloguesOf(plan, microBatches, chunks);
  const bool apart = plan.layout.postValidation;
  std::uint64_t barrier = 0, end = 0;
  llvm::SmallVector<std::uint64_t, 64> reduced; ///< time when a rank's gradients are reduced
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const SweptRank& swept = ranks[rank];
    std::uint64_t done = epilogues[rank].leaves ? std::max(swept.end, swept.dataEnd) : swept.end;
    if (apart)
      done = std::max(done, swept.begin + epilogues[rank].dataStream);
    reduced.push_back(done + epilogues[rank].reductions);
    barrier = std::max(barrier, reduced.back());
  }
  for (std::size_t i = 0; i < held.size(); ++i) {
    const RankNodeTypes& of = plan.mesh.rankNodeTypes[i];
    for (std::uint64_t rank = of.first; rank < of.first + of.count; ++rank)
      end = std::max(end, (apart ? reduced[rank] - ranks[rank].begin : barrier) +
                              updateTime(plan, epilogues[rank].updated, held[i]) +
                              epilogues[rank].gathers);
  }
  return end;
}
} // namespace

std::uint64_t dpl::cost::executedStep(const Plan& plan, std::uint64_t microBatches,
                                      llvm::ArrayRef<SweptRank> ranks, SteadyState& steady,
                                      const StepChunks& chunks,
                                      llvm::ArrayRef<std::vector<Device>> held) {
  return scheduleInfo(plan.layout.schedule).flushed()
             ? endOfStep(plan, microBatches, chunks.chunks(), ranks, held)
             : steady.run(plan, microBatches, chunks.chunks(), held);
}

std::uint64_t dpl::cost::sweptStep(const Plan& plan, std::uint64_t microBatches, StoredOrder& order,
                                   SteadyState& steady, const StepChunks& chunks,
                                   llvm::ArrayRef<std::vector<Device>> held) {
  if (scheduleInfo(plan.layout.schedule).flushed())
    order.sweep(chunks.times(), plan.layout.overlap.pipeline, chunks.clocks());
  return executedStep(plan, microBatches, order.ranks(), steady, chunks, held);
}
