//===- GPipe.cpp - All forwards, then all backwards -------------------------------------------===//
//
// Huang et al., arXiv 1811.06965. Backwards run in the order of the forwards, as
// torch.distributed.pipelining's ScheduleGPipe runs them.
#include "cost/schedules/Schedule.h"

using namespace dpl::cost;

namespace {
ScheduleRule legal(const PipelineShape&) { return ScheduleRule::Legal; }
std::uint64_t warmup(const PipelineShape& shape, std::uint64_t) { return shape.microBatches; }
void generate(const PipelineShape& shape, std::uint64_t rank, OperationList& out) {
  generateInTurns(shape, warmup(shape, rank), shape.microBatches, out);
}
Makespan closedForm(const PipelineShape& shape, const std::vector<PieceTime>& times) {
  return {Makespan::Claim::AtLeast, busiestRank(shape, times)};
}
} // namespace

const ScheduleInfo dpl::cost::GPipeSchedule{
    "all forwards, then all backwards", false, legal, warmup, generate, sendsLater, closedForm};
