//===- EagerOneForwardOneBackward.cpp - 1F1B with twice the warm-up ---------------------------===//
//
// Forward passes run further ahead, so that a message has a whole round to travel. Later work on
// slow links calls this eager 1F1B (Zhuang et al., arXiv 2211.05322).
#include "cost/schedules/Schedule.h"
#include <algorithm>

using namespace dpl::cost;

namespace {
ScheduleRule legal(const PipelineShape&) { return ScheduleRule::Legal; }
void generate(const PipelineShape& shape, std::uint64_t rank, ActionList& out) {
  generateInGroups(shape, std::min(shape.microBatches, 2 * (shape.ranks - rank - 1)),
                   shape.microBatches, out);
}
/// The additional forward passes save nothing if messages take no time.
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  return OneForwardOneBackwardSchedule.equalStages(shape, each);
}
} // namespace

const ScheduleInfo dpl::cost::EagerOneForwardOneBackwardSchedule{.summary =
                                                                     "1F1B with twice the warm-up",
                                                                 .legal = legal,
                                                                 .generate = generate,
                                                                 .exchanges = prefetchedReceives,
                                                                 .equalStages = equalStages};
