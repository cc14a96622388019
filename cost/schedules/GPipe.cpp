//===- GPipe.cpp - All forward passes, then all backward passes -------------------------------===//
//
// Huang et al., arXiv 1811.06965. Backward passes run in the order of the forward passes, as in
// torch.distributed.pipelining's ScheduleGPipe.
#include "cost/schedules/Schedule.h"
#include <algorithm>

using namespace dpl::cost;

namespace {
ScheduleRule legal(const PipelineShape&) { return ScheduleRule::Legal; }
std::uint64_t warmup(const PipelineShape& shape, std::uint64_t) { return shape.microBatches; }
void generate(const PipelineShape& shape, std::uint64_t rank, ActionList& out) {
  generateInGroups(shape, warmup(shape, rank), shape.microBatches, out);
}
/// Forward passes are a line of ranks and links through which all micro-batches pass in order, and
/// so are backward passes. Backward passes of the last rank begin when its forward passes have
/// ended.
Makespan closedForm(const PipelineShape& shape, llvm::ArrayRef<RankRun> runs, bool overlapped) {
  std::uint64_t onward = 0, home = 0, slowestOn = 0, slowestHome = 0, rank = 0;
  for (const RankRun& run : runs) {
    const ChunkTime& time = run.chunks.front();
    const bool last = rank + run.ranks == shape.ranks, first = rank == 0;
    const auto add = [&](std::uint64_t pass, std::uint64_t send, std::uint64_t sends,
                         std::uint64_t& sum, std::uint64_t& slowest) {
      sum += run.ranks * pass + sends * send;
      const std::uint64_t sent = sends > 0 ? send : 0;
      slowest = std::max({slowest, sent, pass + (overlapped ? 0 : sent)});
    };
    add(time.forward, time.sendForward, run.ranks - (last ? 1 : 0), onward, slowestOn);
    add(time.backward, time.sendBackward, run.ranks - (first ? 1 : 0), home, slowestHome);
    rank += run.ranks;
  }
  const std::uint64_t others = shape.microBatches - 1;
  return {Makespan::Claim::Exact, onward + others * slowestOn + home + others * slowestHome};
}
/// (m + p − 1)(F + B): section 2.3 of the paper.
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  return rankWork(shape, each) + (shape.ranks - 1) * (each.forward + each.backward);
}
} // namespace

const ScheduleInfo dpl::cost::GPipeSchedule{.summary = "all forwards, then all backwards",
                                            .legal = legal,
                                            .warmup = warmup,
                                            .generate = generate,
                                            .exchanges = asyncSends,
                                            .closedForm = closedForm,
                                            .equalStages = equalStages};
