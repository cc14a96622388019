//===- StepSweep.cpp - The step of a plan with some of its collectives at no time -------------===//
#include "cost/schedules/StepSweep.h"
#include "cost/CostModel.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
bool sends(const Plan& plan, const ChunkProgram& program, TakesTime takesTime) {
  for (std::uint64_t i = 0; i < program.collectives; ++i)
    if (const Collective& c = plan.collectives[program.firstCollective + i];
        c.kind == CollectiveKind::SendReceive)
      return takesTime(c);
  return true;
}
} // namespace

StepSweep::StepSweep(const Plan& plan) : plan(plan), order(plan) {}

std::uint64_t StepSweep::run(TakesTime takesTime) {
  chunks.clear(), times.clear(), clocks.clear();
  bool withData = false;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    const std::size_t same = sameStep(plan, i);
    chunks.push_back(same < i ? chunks[same]
                              : chunkStep(plan, plan.programs[i], plan.costs[i], takesTime));
    PieceTime& time = chunks.back().time;
    time.sendForward = time.sendBackward = 0;
    if (sends(plan, plan.programs[i], takesTime))
      addMessages(plan, {plan.programs[i].rank, plan.programs[i].chunk}, time);
    times.push_back(time);
    clocks.push_back(chunks.back().clocks);
    withData = withData || movesData(clocks.back());
  }
  order.sweep(times, plan.layout.overlap.pipeline,
              withData ? llvm::ArrayRef<PieceClocks>(clocks) : llvm::ArrayRef<PieceClocks>());
  return endOfStep(plan, chunks, order.ranks());
}

std::string dpl::cost::whatTakesOtherTimes(const Plan& plan) {
  if (plan.programs.empty())
    return {};
  std::uint64_t end = 0;
  for (const RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < rank.operations.size(); ++i)
      end = std::max(end, rank.endOf(i));
  const std::uint64_t executed = StepSweep(plan).run([](const Collective&) { return true; });
  return executed == end
             ? ""
             : fmt::format("the schedule ends at {} ps, its bodies at {}", end, executed);
}

std::uint64_t dpl::cost::endOfStep(const Plan& plan, llvm::ArrayRef<ChunkStep> chunks,
                                   llvm::ArrayRef<SweptRank> ranks) {
  struct Tail {
    bool leaves = false;
    std::uint64_t reductions = 0, gathers = 0;
    double updated = 0;
  };
  llvm::SmallVector<Tail, 64> tails(ranks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    Tail& tail = tails[plan.chunks[i].rank];
    tail.leaves = tail.leaves || chunks[i].leaves;
    tail.reductions += chunks[i].reductions, tail.gathers += chunks[i].gathers;
    tail.updated += chunks[i].updated;
  }
  std::uint64_t barrier = 0, end = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const SweptRank& swept = ranks[rank];
    const std::uint64_t done = tails[rank].leaves ? std::max(swept.end, swept.dataEnd) : swept.end;
    barrier = std::max(barrier, done + tails[rank].reductions);
  }
  for (const HeldRanks& held : plan.mesh.held) {
    const std::vector<Device> devices = pacingDevices(plan, held);
    for (std::uint64_t rank = held.first; rank < held.first + held.count; ++rank)
      end = std::max(end, barrier + updateTime(plan, tails[rank].updated, devices) +
                              tails[rank].gathers);
  }
  return end;
}
