//===- ZeroBubbleH2.cpp - Twice the warm-up of 1F1B, weight gradients at the end --------------===//
//
// Qi et al., arXiv 2401.10241, section 2.3: rank r runs 2(p − r) − 1 forward passes ahead and
// delays weight gradients by 2r backward passes. No rank has more than 2p − 1 in-flight
// micro-batches, and none waits between its first and its last action if actions take equally long.
#include "cost/schedules/ZeroBubble.h"
#include <algorithm>

using namespace dpl::cost;

namespace {
ScheduleRule legal(const PipelineShape&) { return ScheduleRule::Legal; }
void generate(const PipelineShape& shape, std::uint64_t rank, ActionList& out) {
  generateDelayed(shape.microBatches, 2 * (shape.ranks - rank) - 1, 2 * rank, out);
}
/// The bubble is the path of the first micro-batch to the last rank, plus the time by which input
/// gradients exceed two weight gradients. The makespan exceeds the work by (p − 1)(F + B − 2W) of
/// table 1 if this is not negative.
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  const std::uint64_t input = each.backward - each.weight;
  if (shape.microBatches + 1 < 2 * shape.ranks || each.weight > std::min(each.forward, input))
    return std::nullopt;
  const std::uint64_t waits = std::max(input, 2 * each.weight) - 2 * each.weight;
  return rankWork(shape, each) + (shape.ranks - 1) * (each.forward + waits);
}
} // namespace

const ScheduleInfo dpl::cost::ZeroBubbleH2Schedule{
    .summary = "as ZB-H1, with forwards ahead that fill the beginning too",
    .backward = BackwardSplit::Split,
    .legal = legal,
    .generate = generate,
    .exchanges = prefetchedReceives,
    .equalStages = equalStages};
