//===- PipeDream.cpp - 1F1B for ever: steps without a flush, and versions of weights ----------===//
//
// Harlap et al., arXiv 1806.03377, section 3.3: a rank keeps the weights with which a micro-batch
// ran forward until it has run backward (weight stashing), and updates when it has the gradients of
// a step. There a step is one micro-batch; with several it is what PipeDream-2BW does (Narayanan et
// al., arXiv 2006.09503, section 3.1).
#include "cost/schedules/Schedule.h"
#include <algorithm>

using namespace dpl::cost;

namespace {
ScheduleRule legal(const PipelineShape& shape) {
  return shape.ranks > 1 ? ScheduleRule::Legal : ScheduleRule::NeedsPipeline;
}
/// Of one step; those of the steps around it run between them.
void generate(const PipelineShape& shape, std::uint64_t rank, ActionList& out) {
  OneForwardOneBackwardSchedule.generate(shape, rank, out);
}
/// Behind an update the p - r - 1 micro-batches that are live ran forward with the weights of so
/// many steps before it, and the next one runs with the newest.
std::uint64_t versions(const PipelineShape& shape, std::uint64_t rank) {
  const std::uint64_t live = shape.ranks - rank - 1;
  return 1 + (live + shape.microBatches - 1) / shape.microBatches;
}
/// Nobody waits: arXiv 1806.03377, section 3.2.
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  return rankWork(shape, each);
}
} // namespace

const ScheduleInfo dpl::cost::PipeDreamSchedule{
    .summary = "one forward, one backward, steps without a flush",
    .legal = legal,
    .generate = generate,
    .exchanges = batchedSendReceive,
    .equalStages = equalStages,
    .weightVersions = versions};
