//===- Listed.cpp - The schedule that the user has written ------------------------------------===//
#include "cost/schedules/Schedule.h"
#include "ir/ListedActions.h"

using namespace dpl::cost;

namespace {
ScheduleRule legal(const PipelineShape& shape) {
  if (shape.ranks == 1 && shape.chunks > 1)
    return ScheduleRule::NeedsPipeline;
  return shape.customSchedule && shape.customSchedule->ranks.size() == shape.ranks &&
                 shape.customSchedule->microBatches == shape.microBatches
             ? ScheduleRule::Legal
             : ScheduleRule::OtherCustomSchedule;
}
void generate(const PipelineShape& shape, std::uint64_t rank, ActionList& out) {
  appendActions(*shape.customSchedule, shape.chunks, rank, out);
}
} // namespace

const ScheduleInfo dpl::cost::ListedSchedule{.summary = "the order of the user's own lists",
                                             .backward = BackwardSplit::Mixed,
                                             .legal = legal,
                                             .generate = generate,
                                             .exchanges = prefetchedReceives};
