//===- ZeroBubbleAutomatic.cpp - The fastest order of one chunk under a limit -----------------===//
//
// Qi et al., arXiv 2401.10241, section 3, search with given action times and memory. Their
// heuristic is not monotonic in its limit. Therefore the orders of smaller limits and the
// hand-written orders are executed too, and the first of the fastest ones is chosen.
#include "cost/schedules/ZeroBubble.h"
#include <algorithm>

using namespace dpl::cost;
using dpl::ir::ScheduleKind;

namespace {
ScheduleRule legal(const PipelineShape&) { return ScheduleRule::Legal; }

void generateAll(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times, MakespanOf makespanOf,
                 PerRankSchedules& out) {
  const std::vector<ChunkTime> chunks = timesOrEqual(shape, times);
  const std::uint64_t p = shape.ranks, m = shape.microBatches;
  std::uint64_t best = UINT64_MAX;
  const auto consider = [&](PerRankSchedules lists) {
    PerRankSchedules again;
    if (shape.inAdvance) {
      again = lists;
      for (ActionList& schedule : again)
        recomputeInAdvance(schedule);
    }
    const std::optional<std::uint64_t> makespan =
        makespanOf(shape.inAdvance ? again : lists, chunks);
    if (makespan && *makespan < best)
      best = *makespan, out = std::move(lists);
  };
  const auto linear = [&](std::uint64_t limit) {
    PerRankSchedules lists(p);
    generateLinear(shape, chunks, limit, lists);
    consider(std::move(lists));
  };
  linear(shape.inFlight);
  for (const std::uint64_t limit : {p, 2 * p})
    if (limit < shape.inFlight)
      linear(limit);
  const auto row = [&](ScheduleKind kind, std::uint64_t held) {
    if (std::min(m, held) <= shape.inFlight)
      consider(generateLists({kind, p, 1, m, 0}, {}, nullptr));
  };
  row(ScheduleKind::ZeroBubbleH1, p);
  row(ScheduleKind::ZeroBubbleH2, 2 * p - 1);
  row(ScheduleKind::OneForwardOneBackward, p);
}
} // namespace

const ScheduleInfo dpl::cost::ZeroBubbleAutomaticSchedule{
    .summary = "the fastest order of one chunk a rank under a limit of micro-batches",
    .backward = BackwardSplit::Mixed,
    .legal = legal,
    .generateAll = generateAll,
    .byTime = true,
    .exchanges = prefetchedReceives};
