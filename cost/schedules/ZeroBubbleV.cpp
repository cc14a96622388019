//===- ZeroBubbleV.cpp - ZB-V: two chunks per rank, V-shaped ----------------------------------===//
//
// Qi et al., arXiv 2401.10241, section 6, in the order for equal times of forward passes, input and
// weight gradients, as in torch.distributed.pipelining's ScheduleZBVZeroBubble (2.11). The first
// rank has the first and the last stage, and no rank has more memory than under 1F1B.
#include "cost/schedules/ZeroBubble.h"
#include <algorithm>

using namespace dpl::cost;
using dpl::ir::ActionKind;

namespace {
ScheduleRule legal(const PipelineShape& shape) {
  return shape.ranks == 1 ? ScheduleRule::NeedsPipeline : ScheduleRule::Legal;
}

/// Appends the actions of a rank; micro-batches of a chunk are in order. The order is that of at
/// least 2p − 1 micro-batches; actions of nonexistent micro-batches are left out.
class VActionWriter {
public:
  VActionWriter(std::uint64_t microBatches, ActionList& out)
      : microBatches(microBatches), out(out) {}
  void forward(std::uint16_t chunk) { add(ActionKind::Forward, chunk, forwards[chunk]++); }
  void input(std::uint16_t chunk) { add(ActionKind::BackwardInput, chunk, inputs[chunk]++); }
  void weight(std::uint16_t chunk) { add(ActionKind::BackwardWeight, chunk, weights[chunk]++); }
  void backward(std::uint16_t chunk) { input(chunk), weight(chunk); }

  std::uint64_t forwards[2] = {}, inputs[2] = {}, weights[2] = {};

private:
  void add(ActionKind kind, std::uint16_t chunk, std::uint64_t microBatch) {
    if (microBatch < microBatches)
      out.push_back({kind, chunk, static_cast<std::uint32_t>(microBatch)});
  }
  std::uint64_t microBatches;
  ActionList& out;
};

void generate(const PipelineShape& shape, std::uint64_t rank, ActionList& out) {
  const std::uint64_t p = shape.ranks, m = std::max(2 * p - 1, shape.microBatches);
  VActionWriter w(shape.microBatches, out);
  for (std::uint64_t i = 0; i + 1 < 2 * (p - rank); ++i)
    w.forward(0);
  for (std::uint64_t i = 0; i < rank; ++i)
    w.forward(1), w.forward(0);
  for (std::uint64_t i = 0; i < p - rank; ++i)
    w.forward(1), w.backward(1);
  while (w.forwards[1] < w.forwards[0] || w.forwards[0] < m) {
    if (w.forwards[0] < m)
      w.forward(0);
    w.backward(0);
    w.forward(1), w.backward(1);
  }
  for (std::uint64_t i = 0; i < rank; ++i)
    w.input(0), w.input(1);
  for (std::uint64_t i = 0; i < p - rank; ++i)
    w.backward(0);
  for (const std::uint16_t chunk : {1, 0})
    while (w.weights[chunk] < w.inputs[chunk])
      w.weight(chunk);
}
/// Section 6: no rank waits between its first and its last action.
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  return filledBeginning(shape, each, 2 * shape.ranks - 1);
}
} // namespace

const ScheduleInfo dpl::cost::ZeroBubbleVSchedule{
    .summary = "two chunks a rank, the second in reverse, with weight gradients that fill waits",
    .backward = BackwardSplit::Split,
    .legal = legal,
    .generate = generate,
    .exchanges = prefetchedReceives,
    .equalStages = equalStages};
