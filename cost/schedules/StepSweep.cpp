//===- StepSweep.cpp - The step of a plan with some of its collectives at no time -------------===//
#include "cost/schedules/StepSweep.h"
#include "cost/CostModel.h"
#include "cost/schedules/Proof.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

StepSweep::StepSweep(const Plan& plan)
    : plan(plan), order(plan.placement, plan.mesh.microBatches, passesOf(plan)) {
  for (const HeldRanks& ranks : plan.mesh.held)
    held.push_back(pacingDevices(plan, ranks));
}

std::uint64_t StepSweep::run(TakesTime takesTime) {
  pieces.clear();
  pieces.addAll(plan, takesTime);
  order.sweep(pieces.times(), plan.layout.overlap.pipeline, pieces.clocks());
  return endOfStep(plan, pieces.chunks(), order.ranks(), held);
}

std::uint64_t dpl::cost::endOfSchedule(const Plan& plan) {
  std::uint64_t end = 0;
  for (const RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < rank.operations.size(); ++i)
      end = std::max(end, rank.endOf(i));
  return end;
}

std::uint64_t dpl::cost::endOfStep(const Plan& plan, llvm::ArrayRef<ChunkStep> chunks,
                                   llvm::ArrayRef<SweptRank> ranks,
                                   llvm::ArrayRef<std::vector<Device>> held) {
  const RankTails tails = tailsOf(plan, chunks);
  std::uint64_t barrier = 0, end = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const SweptRank& swept = ranks[rank];
    const std::uint64_t done = tails[rank].leaves ? std::max(swept.end, swept.dataEnd) : swept.end;
    barrier = std::max(barrier, done + tails[rank].reductions);
  }
  for (std::size_t i = 0; i < held.size(); ++i) {
    const HeldRanks& of = plan.mesh.held[i];
    for (std::uint64_t rank = of.first; rank < of.first + of.count; ++rank)
      end = std::max(end, barrier + updateTime(plan, tails[rank].updated, held[i]) +
                              tails[rank].gathers);
  }
  return end;
}
