//===- DualPipeV.cpp - Two chunks per rank, with merged pairs ---------------------------------===//
//
// This is DualPipe cut in half, without stage replicas: micro-batches turn at the last rank
// (dualpipev.py). torch.distributed.pipelining has this order as ScheduleDualPipeV (2.11).
#include "cost/schedules/Exchanges.h"
#include "cost/schedules/PairedOrder.h"

using namespace dpl::cost;
using dpl::ir::ActionKind;

namespace {
ScheduleRule legal(const PipelineShape& shape) {
  if (shape.ranks == 1)
    return ScheduleRule::NeedsPipeline;
  return shape.microBatches < 2 * shape.ranks ? ScheduleRule::FewMicroBatches : ScheduleRule::Legal;
}
void generate(const PipelineShape& shape, std::uint64_t rank, ActionList& out) {
  PairedOrder{shape.ranks, rank, shape.microBatches}.generate(out);
}
void exchanges(GroupWriter& to) {
  PairedOrder{to.ranks(), to.rank(), to.microBatches()}.exchanges(to);
}
/// The bubble is (F&B + B − 3W) of a chunk, p − 1 times (DeepSeek-AI's DualPipe, README at
/// 3da1bbe), if actions take equally long and a pair takes as long as both.
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  if (!actionsEquallyLong(each) || durationOf(ActionKind::Backward, each) != each.backward)
    return std::nullopt;
  return rankWork(shape, each) + (shape.ranks - 1) * 2 * each.forward;
}
} // namespace

const ScheduleInfo dpl::cost::DualPipeVSchedule{
    .summary = "two chunks a rank, forward of one and backward of the other merged in pairs",
    .backward = BackwardSplit::Mixed,
    .legal = legal,
    .generate = generate,
    .pairs = true,
    .exchanges = exchanges,
    .equalStages = equalStages};
