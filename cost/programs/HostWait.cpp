//===- HostWait.cpp - Time in which actions wait for the host link ----------------------------===//
#include "cost/programs/HostWait.h"
#include "cost/programs/FirstLastActions.h"
#include "cost/programs/UnmergedPrograms.h"
#include "cost/schedules/Schedule.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
bool crosses(const Segment& s) { return s.computes(ComputeKind::Offload); }

} // namespace

std::uint64_t dpl::cost::hostWait(const StageProgram& body, FirstLast firstLast) {
  StageProgram without = body;
  bool any = false;
  for (SegmentLoop& block : without.loops) {
    any = any || llvm::any_of(block.segments, crosses);
    llvm::erase_if(block.segments, crosses);
  }
  const auto all = [](const Segment&) { return true; };
  return any ? timeOf(body, firstLast, all).durationAlone() -
                   timeOf(without, firstLast, all).durationAlone()
             : 0;
}

namespace {
/// Adds up the waits along a rank's schedule, which has merged pairs or mixes whole and split
/// backward passes.
std::uint64_t hostWaitOfSchedule(const Plan& plan, const RankSchedule& rank) {
  FirstLastActions turns;
  turns.assign(llvm::ArrayRef<ScheduledAction>(rank.actions), plan.placement.chunks);
  const FirstLastActions::FirstLastAction* special = turns.of(0);
  std::uint64_t wait = 0;
  for (std::size_t i = 0; i < rank.actions.size(); ++i) {
    const ScheduledAction& op = rank.actions[i];
    if (!isChunkAction(op.kind))
      continue;
    FirstLast firstLast = FirstLastActions::next(special, i);
    if (const StageProgram* merged = mergedProgram(plan, rank.rank, op)) {
      firstLast.last = FirstLastActions::next(special, ++i).last;
      wait += hostWait(*merged, firstLast);
    } else if (const auto body = stageProgramOf(
                   plan, plan.chunkPrograms[plan.placement.indexOf(rank.rank, op.chunk)],
                   op.forward() ? ActionKind::Forward : op.kind)) {
      wait += hostWait(plan.stagePrograms[*body], firstLast);
    }
  }
  return wait;
}
} // namespace

std::uint64_t dpl::cost::hostWait(const Plan& plan, const ChunkPrograms& programs,
                                  FirstLast firstLast) {
  std::uint64_t wait = 0;
  visitUnmergedPrograms(plan, programs, [&](StageProgramId body) {
    wait += hostWait(plan.stagePrograms[body], firstLast);
  });
  return wait;
}

std::uint64_t dpl::cost::hostWait(const Plan& plan, std::uint64_t rank) {
  if (!plan.layout.offloads())
    return 0;
  const ScheduleInfo& info = scheduleInfo(plan.layout.schedule);
  if (rank < plan.schedule.size() && (info.pairs || info.backward == BackwardSplit::Mixed))
    return hostWaitOfSchedule(plan, plan.schedule[rank]);
  const std::uint64_t runs = plan.microBatchesOfChunk();
  std::uint64_t wait = 0;
  for (const ChunkPrograms& programs : plan.chunkPrograms)
    if (programs.rank == rank)
      wait += runs == 1 ? hostWait(plan, programs, {true, true})
                        : hostWait(plan, programs, {true, false}) +
                              hostWait(plan, programs, {false, true}) +
                              (runs - 2) * hostWait(plan, programs);
  return wait;
}
