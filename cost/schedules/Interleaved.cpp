//===- Interleaved.cpp - 1F1B with several chunks per rank ------------------------------------===//
//
// Narayanan et al., arXiv 2104.04473, with the counts of Megatron-Core
// (megatron/core/pipeline_parallel/schedules.py, core_v0.19.0, get_pp_rank_microbatches). With one
// chunk per rank this is plain 1F1B.
#include "cost/schedules/Schedule.h"
#include <algorithm>

using namespace dpl::cost;

namespace {
/// A rank runs p micro-batches through one chunk before the next one (section 2.2). A remainder
/// would make the last group shorter and let the next rank wait. With groups of `group`
/// (Megatron-LM's micro-batch group size) the last one may be shorter, but not shorter than p.
ScheduleRule legal(const PipelineShape& shape) {
  if (shape.chunks == 1)
    return shape.microBatchGroup == 0 ? ScheduleRule::Legal : ScheduleRule::OtherGroup;
  if (shape.ranks == 1)
    return ScheduleRule::NeedsPipeline;
  if (shape.microBatchGroup > 0) {
    const std::uint64_t last = shape.microBatches % shape.microBatchGroup;
    const bool filled =
        shape.microBatchGroup >= shape.ranks && shape.microBatchGroup <= shape.microBatches;
    return filled && (last == 0 || last >= shape.ranks) ? ScheduleRule::Legal
                                                        : ScheduleRule::OtherGroup;
  }
  return shape.microBatches % shape.ranks == 0 ? ScheduleRule::Legal
                                               : ScheduleRule::MicroBatchesInGroups;
}
std::uint64_t warmup(const PipelineShape& shape, std::uint64_t rank) {
  const std::uint64_t behind = shape.ranks - rank - 1;
  if (shape.chunks == 1)
    return std::min(shape.microBatches, behind);
  return std::min(shape.microBatches * shape.chunks,
                  behind * 2 + (shape.chunks - 1) * shape.microBatchGroupSize());
}
void generate(const PipelineShape& shape, std::uint64_t rank, ActionList& out) {
  generateInGroups(shape, warmup(shape, rank), shape.microBatchGroupSize(), out);
}
Makespan closedForm(const PipelineShape& shape, llvm::ArrayRef<RankRun> runs, bool overlapped) {
  if (shape.chunks == 1)
    return OneForwardOneBackwardSchedule.closedForm(shape, runs, overlapped);
  return {Makespan::Claim::AtLeast, busiestRank(shape, runs, overlapped)};
}
/// (vm + p − 1)(F + B) of a chunk: section 2.2.2.
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  return rankWork(shape, each) + (shape.ranks - 1) * (each.forward + each.backward);
}
} // namespace

const ScheduleInfo dpl::cost::InterleavedSchedule{
    .summary = "one forward, one backward over several chunks a rank",
    .legal = legal,
    .warmup = warmup,
    .generate = generate,
    .exchanges = prefetchedReceives,
    .closedForm = closedForm,
    .equalStages = equalStages};
