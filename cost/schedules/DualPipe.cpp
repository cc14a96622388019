//===- DualPipe.cpp - Bidirectional schedule with merged pairs --------------------------------===//
//
// Each stage has a replica on the opposite rank, and half of the micro-batches run in each
// direction (dualpipe.py). Ranks of the second half mirror those of the first half.
#include "cost/schedules/Exchanges.h"
#include "cost/schedules/PairedOrder.h"

using namespace dpl::cost;
using dpl::ir::ActionKind;

namespace {
ScheduleRule legal(const PipelineShape& shape) {
  if (shape.ranks == 1)
    return ScheduleRule::NeedsPipeline;
  if (shape.ranks % 2 == 1)
    return ScheduleRule::RanksInPairs;
  if (shape.microBatches < 2 * shape.ranks)
    return ScheduleRule::FewMicroBatches;
  return shape.microBatches % 2 == 0 ? ScheduleRule::Legal : ScheduleRule::MicroBatchesInHalves;
}
PairedOrder orderOf(std::uint64_t ranks, std::uint64_t rank, std::uint64_t half) {
  const bool first = rank < ranks / 2;
  return {ranks / 2,
          first ? rank : ranks - 1 - rank,
          half,
          static_cast<std::uint16_t>(first ? 0 : 1),
          {0, static_cast<std::uint32_t>(half)}};
}
void generate(const PipelineShape& shape, std::uint64_t rank, ActionList& out) {
  orderOf(shape.ranks, rank, shape.microBatches / 2).generate(out);
}
void exchanges(GroupWriter& to) {
  orderOf(to.ranks(), to.rank(), to.microBatches() / 2).exchanges(to);
}
/// The bubble is (F&B + B − 3W) of a chunk, p/2 − 1 times (README at 3da1bbe), if a pair takes as
/// long as both actions. This is the longest path if forward passes and input gradients take
/// equally long and weight gradients take no longer.
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  if (each.forward != each.backward - each.weight || each.weight > each.forward ||
      durationOf(ActionKind::Backward, each) != each.backward)
    return std::nullopt;
  return rankWork(shape, each) +
         (shape.ranks / 2 - 1) * (each.forward + 2 * each.backward - 3 * each.weight);
}
} // namespace

const ScheduleInfo dpl::cost::DualPipeSchedule{
    .summary = "micro-batches from both ends, forward of one way and backward of the other merged "
               "in pairs",
    .backward = BackwardSplit::Mixed,
    .legal = legal,
    .generate = generate,
    .pairs = true,
    .exchanges = exchanges,
    .equalStages = equalStages};
