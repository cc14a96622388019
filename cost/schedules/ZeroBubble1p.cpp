//===- ZeroBubble1p.cpp - Zero bubble by action times, p micro-batches per rank ---------------===//
//
// ZB-1p of Qi et al., arXiv 2401.10241, section 3.
#include "cost/schedules/ZeroBubble.h"

using namespace dpl::cost;

namespace {
ScheduleRule legal(const PipelineShape&) { return ScheduleRule::Legal; }
void generateAll(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times, MakespanOf,
                 PerRankSchedules& out) {
  generateLinear(shape, times, shape.ranks, out);
}
} // namespace

const ScheduleInfo dpl::cost::ZeroBubble1pSchedule{
    .summary = "as many micro-batches as under 1F1B, weight gradients where ranks would wait",
    .backward = BackwardSplit::Split,
    .legal = legal,
    .generateAll = generateAll,
    .byTime = true,
    .exchanges = prefetchedReceives,
    .equalStages = delayedWeights};
