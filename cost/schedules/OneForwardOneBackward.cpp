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
void generate(const PipelineShape& shape, std::uint64_t rank, OperationList& out) {
  generateInTurns(shape, warmup(shape, rank), shape.microBatches, out);
}
/// Besides each rank's work: of p − r micro-batches that rank r has sent on the first must be back
/// before another leaves, so each round of so many takes at least the way to the last rank and
/// back.
Makespan closedForm(const PipelineShape& shape, const std::vector<PieceTime>& times) {
  std::uint64_t longest = busiestRank(shape, times), before = 0;
  for (std::uint64_t r = 0; r < shape.ranks; ++r) {
    const std::uint64_t ahead = shape.ranks - r, rounds = (shape.microBatches - 1) / ahead;
    const std::uint64_t last = shape.microBatches - rounds * ahead;
    std::uint64_t trip = 0;
    for (std::uint64_t s = r; s < shape.ranks; ++s)
      trip += times[s].forward + times[s].backward +
              (s + 1 < shape.ranks ? times[s].sendForward + times[s + 1].sendBackward : 0);
    longest = std::max(longest, before + (rounds + 1) * trip + (last - 1) * times[r].backward);
    if (r + 1 < shape.ranks)
      before +=
          times[r].forward + times[r].backward + times[r].sendForward + times[r + 1].sendBackward;
  }
  return {Makespan::Claim::AtLeast, longest};
}
} // namespace

const ScheduleInfo dpl::cost::OneForwardOneBackwardSchedule{
    "one forward, one backward", false, legal, warmup, generate, sendsPaired, closedForm};
