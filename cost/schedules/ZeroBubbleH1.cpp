//===- ZeroBubbleH1.cpp - 1F1B whose weight gradients fill the cool-down ----------------------===//
//
// Qi et al., arXiv 2401.10241, section 2.3: ranks have as many in-flight micro-batches as under
// 1F1B, and rank r delays weight gradients by r backward passes. The last weight gradients fill the
// time in which ranks would wait for gradients of other ranks.
#include "cost/schedules/ZeroBubble.h"

using namespace dpl::cost;

namespace {
ScheduleRule legal(const PipelineShape&) { return ScheduleRule::Legal; }
void generate(const PipelineShape& shape, std::uint64_t rank, ActionList& out) {
  generateDelayed(shape.microBatches, shape.ranks - rank, rank, out);
}
} // namespace

const ScheduleInfo dpl::cost::ZeroBubbleH1Schedule{
    .summary = "1F1B with weight gradients put off until ranks would wait",
    .backward = BackwardSplit::Split,
    .legal = legal,
    .generate = generate,
    .exchanges = batchedSendReceive,
    .equalStages = delayedWeights};
