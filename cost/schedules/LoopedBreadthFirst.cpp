//===- LoopedBreadthFirst.cpp - All micro-batches through a chunk before the next one ---------===//
//
// Lamy-Poirier, arXiv 2211.05953. Backward passes run from the last micro-batch to the first, as in
// torch.distributed.pipelining's ScheduleLoopedBFS.
#include "cost/schedules/Schedule.h"
#include <algorithm>

using namespace dpl::cost;
using dpl::ir::ActionKind;

namespace {
ScheduleRule legal(const PipelineShape& shape) {
  return shape.chunks > 1 && shape.ranks == 1 ? ScheduleRule::NeedsPipeline : ScheduleRule::Legal;
}
void generate(const PipelineShape& shape, std::uint64_t, ActionList& out) {
  const auto m = static_cast<std::uint32_t>(shape.microBatches);
  const auto v = static_cast<std::uint16_t>(shape.chunks);
  for (std::uint16_t chunk = 0; chunk < v; ++chunk)
    for (std::uint32_t i = 0; i < m; ++i)
      out.push_back({ActionKind::Forward, chunk, i});
  for (std::uint16_t chunk = v; chunk-- > 0;)
    for (std::uint32_t i = m; i-- > 0;)
      out.push_back({ActionKind::Backward, chunk, i});
}
/// (vm + p − 1)(F + B) of a chunk if m ≥ p, as for interleaved 1F1B.
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  // The next chunk begins when the first micro-batch has passed all ranks.
  const std::uint64_t turn = std::max(shape.microBatches, shape.ranks);
  return ((shape.chunks - 1) * turn + shape.microBatches + shape.ranks - 1) *
         (each.forward + each.backward);
}
} // namespace

const ScheduleInfo dpl::cost::LoopedBreadthFirstSchedule{
    .summary = "all micro-batches through one chunk before the next",
    .legal = legal,
    .generate = generate,
    .exchanges = asyncSends,
    .equalStages = equalStages};
