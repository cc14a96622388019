//===- PipeDream.cpp - 1F1B without a flush, with weight versions -----------------------------===//
//
// Harlap et al., arXiv 1806.03377, section 3.3: a rank keeps the weights of a micro-batch's forward
// pass until its backward pass (weight stashing), and updates when it has the gradients of a step.
// There a step is one micro-batch. With several it is PipeDream-2BW (Narayanan et al., arXiv
// 2006.09503, section 3.1).
#include "cost/schedules/Schedule.h"

using namespace dpl::cost;

namespace {
ScheduleRule legal(const PipelineShape& shape) {
  return shape.ranks > 1 ? ScheduleRule::Legal : ScheduleRule::NeedsPipeline;
}
/// Generates one step; actions of neighbouring steps run between its actions.
void generate(const PipelineShape& shape, std::uint64_t rank, ActionList& out) {
  OneForwardOneBackwardSchedule.generate(shape, rank, out);
}
/// After an update, the p - r - 1 in-flight micro-batches have run forward with the weights of
/// earlier steps, and the next one uses the newest weights.
std::uint64_t versions(const PipelineShape& shape, std::uint64_t rank) {
  const std::uint64_t live = shape.ranks - rank - 1;
  return 1 + (live + shape.microBatches - 1) / shape.microBatches;
}
/// No rank waits: arXiv 1806.03377, section 3.2.
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
