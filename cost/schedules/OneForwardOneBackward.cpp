//===- OneForwardOneBackward.cpp - 1F1B: one forward, one backward, flushed -------------------===//
//
// PipeDream-Flush, Narayanan et al., arXiv 2006.09503; the counts are those of Megatron-Core
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
/// Besides each rank's work: what rank r has sent on comes back through ranks r … q before it sends
/// the micro-batch that is q − r + 1 behind, as rank q turns p − q − 1 forwards later. So each
/// round of so many takes at least the way through these ranks and back. Ranks r begin a run, ranks
/// q end one.
Makespan closedForm(const PipelineShape& shape, llvm::ArrayRef<RankRun> runs, bool overlapped) {
  const auto timeOf = [&](std::size_t i) -> const ChunkTime& { return runs[i].chunks.front(); };
  std::uint64_t longest = busiestRank(shape, runs, overlapped), whole = 0;
  const auto through = [&](std::size_t i) { // there and back, with what the run sends
    const ChunkTime& t = timeOf(i);
    return runs[i].ranks * (t.forward + t.backward + t.sendForward + t.sendBackward);
  };
  for (std::size_t i = 0; i < runs.size(); ++i)
    whole += through(i);
  whole -= timeOf(runs.size() - 1).sendForward;
  std::uint64_t before = 0, first = 0; // through the ranks before a run
  for (std::size_t i = 0; i < runs.size(); before += through(i), first += runs[i].ranks, ++i) {
    const ChunkTime& from = timeOf(i);
    // The first rank sends nothing back.
    const std::uint64_t arrives = before - timeOf(0).sendBackward + from.sendBackward;
    const std::uint64_t rest = whole - before - from.sendBackward;
    std::uint64_t trip = 0, ranks = 0;
    for (std::size_t j = i; j < runs.size(); ++j) {
      trip += through(j), ranks += runs[j].ranks;
      const bool last = j + 1 == runs.size();
      const std::uint64_t ahead = shape.ranks - first - ranks; // forwards of q before it turns
      if (ahead >= shape.microBatches)
        continue;
      // A send that a rank waits for holds up what it does next.
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
