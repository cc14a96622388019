//===- OneForwardOneBackward.cpp - 1F1B: one forward, one backward, flushed -------------------===//
//
// PipeDream-Flush, Narayanan et al., arXiv 2006.09503, with the counts of Megatron-Core
// (megatron/core/pipeline_parallel/schedules.py, core_v0.19.0, get_pp_rank_microbatches).
#include "cost/schedules/Schedule.h"
#include <algorithm>

using namespace dpl::cost;

namespace {
ScheduleRule legal(const PipelineShape&) { return ScheduleRule::Legal; }
std::uint64_t warmup(const PipelineShape& shape, std::uint64_t rank) {
  return std::min(shape.microBatches, shape.ranks - rank - 1);
}
void generate(const PipelineShape& shape, std::uint64_t rank, ActionList& out) {
  generateInGroups(shape, warmup(shape, rank), shape.microBatches, out);
}
/// In addition to each rank's own work: an output of rank r returns through ranks r … q before rank
/// r sends the micro-batch q − r + 1 later, because rank q alternates after p − q − 1 forward
/// passes. Each round of q − r + 1 micro-batches thus takes at least the path through these ranks
/// and back. Rank r is the first of a run and rank q the last of one.
Makespan closedForm(const PipelineShape& shape, llvm::ArrayRef<RankRun> runs, bool overlapped) {
  const auto timeOf = [&](std::size_t i) -> const ChunkTime& { return runs[i].chunks.front(); };
  std::uint64_t longest = busiestRank(shape, runs, overlapped), whole = 0;
  const auto through = [&](std::size_t i) { // forward and backward through a run, with its sends
    const ChunkTime& t = timeOf(i);
    return runs[i].ranks * (t.forward + t.backward + t.sendForward + t.sendBackward);
  };
  for (std::size_t i = 0; i < runs.size(); ++i)
    whole += through(i);
  whole -= timeOf(runs.size() - 1).sendForward;
  std::uint64_t before = 0, first = 0; // through the ranks before a run
  for (std::size_t i = 0; i < runs.size(); before += through(i), first += runs[i].ranks, ++i) {
    const ChunkTime& from = timeOf(i);
    // The first rank sends no gradients.
    const std::uint64_t arrives = before - timeOf(0).sendBackward + from.sendBackward;
    const std::uint64_t rest = whole - before - from.sendBackward;
    std::uint64_t trip = 0, ranks = 0;
    for (std::size_t j = i; j < runs.size(); ++j) {
      trip += through(j), ranks += runs[j].ranks;
      const bool last = j + 1 == runs.size();
      // Forward passes of rank q before it alternates.
      const std::uint64_t ahead = shape.ranks - first - ranks;
      if (ahead >= shape.microBatches)
        continue;
      // A send that a rank waits for delays its next action.
      const std::uint64_t sent = last || overlapped ? timeOf(j).sendForward : 0;
      const std::uint64_t returned = i == 0 || overlapped ? from.sendBackward : 0;
      const std::uint64_t left = shape.microBatches - 1 - ahead, rounds = left / ranks;
      longest =
          std::max(longest, arrives + ahead * from.forward + rounds * (trip - sent - returned) +
                                rest + left % ranks * from.backward);
    }
  }
  return {Makespan::Claim::AtLeast, longest};
}
/// (m + p − 1)(F + B): Narayanan et al., arXiv 2104.04473, section 2.2.1.
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  return rankWork(shape, each) + (shape.ranks - 1) * (each.forward + each.backward);
}
} // namespace

const ScheduleInfo dpl::cost::OneForwardOneBackwardSchedule{.summary = "one forward, one backward",
                                                            .legal = legal,
                                                            .warmup = warmup,
                                                            .generate = generate,
                                                            .exchanges = batchedSendReceive,
                                                            .closedForm = closedForm,
                                                            .equalStages = equalStages};
