//===- ZeroBubble2p.cpp - Zero bubble by action times, 2p micro-batches per rank --------------===//
//
// ZB-2p of Qi et al., arXiv 2401.10241, section 3.
#include "cost/schedules/ZeroBubble.h"

using namespace dpl::cost;

namespace {
ScheduleRule legal(const PipelineShape&) { return ScheduleRule::Legal; }
void generateAll(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times, MakespanOf,
                 PerRankSchedules& out) {
  generateLinear(shape, times, 2 * shape.ranks, out);
}
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  return filledBeginning(shape, each, shape.ranks);
}
} // namespace

const ScheduleInfo dpl::cost::ZeroBubble2pSchedule{
    .summary = "twice the micro-batches of 1F1B, weight gradients where ranks would wait",
    .backward = BackwardSplit::Split,
    .legal = legal,
    .generateAll = generateAll,
    .byTime = true,
    .exchanges = prefetchedReceives,
    .equalStages = equalStages};
