//===- Listed.cpp - The order that the user has written down ----------------------------------===//
#include "cost/schedules/Schedule.h"
#include "ir/ListedOperations.h"

using namespace dpl::cost;

namespace {
ScheduleRule legal(const PipelineShape& shape) {
  if (shape.ranks == 1 && shape.chunks > 1)
    return ScheduleRule::NeedsPipeline;
  return shape.lists && shape.lists->ranks.size() == shape.ranks &&
                 shape.lists->microBatches == shape.microBatches
             ? ScheduleRule::Legal
             : ScheduleRule::OtherLists;
}
void generate(const PipelineShape& shape, std::uint64_t rank, OperationList& out) {
  appendOperations(*shape.lists, shape.chunks, rank, out);
}
} // namespace

const ScheduleInfo dpl::cost::ListedSchedule{.summary = "the order of the user's own lists",
                                             .backward = BackwardPasses::Mixed,
                                             .legal = legal,
                                             .generate = generate,
                                             .exchanges = receivesAhead};
