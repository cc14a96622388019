//===- InterleavedZeroBubble.cpp - Interleaved 1F1B with delayed weight gradients -------------===//
//
// This is ZB-1p of Qi et al., arXiv 2401.10241, with several chunks per rank in the order of
// torch.distributed.pipelining's ScheduleInterleavedZeroBubble (2.11). A rank is one forward pass
// ahead of the next rank instead of two, and rank r delays weight gradients by r backward passes.
#include "cost/schedules/ZeroBubble.h"
#include <algorithm>

using namespace dpl::cost;
using dpl::ir::ActionKind;

namespace {
ScheduleRule legal(const PipelineShape& shape) { return InterleavedSchedule.legal(shape); }
void generate(const PipelineShape& shape, std::uint64_t rank, ActionList& out) {
  const std::uint64_t total = shape.microBatches * shape.chunks;
  const std::uint64_t turn = shape.chunks == 1 ? shape.microBatches : shape.ranks;
  const std::uint64_t warmup =
      std::min(total, (shape.chunks - 1) * turn + (shape.ranks - 1 - rank));
  const auto add = [&](ActionKind kind, std::uint64_t k) {
    const std::uint64_t whole = turn * shape.chunks, inside = k % whole;
    const std::uint64_t chunk = inside / turn;
    out.push_back(
        {kind,
         static_cast<std::uint16_t>(kind == ActionKind::Forward ? chunk : shape.chunks - 1 - chunk),
         static_cast<std::uint32_t>(k / whole * turn + inside % turn)});
  };
  const auto backward = [&](std::uint64_t k) {
    add(ActionKind::BackwardInput, k);
    if (k >= rank)
      add(ActionKind::BackwardWeight, k - rank);
  };
  for (std::uint64_t k = 0; k < warmup; ++k)
    add(ActionKind::Forward, k);
  for (std::uint64_t k = warmup; k < total; ++k)
    add(ActionKind::Forward, k), backward(k - warmup);
  for (std::uint64_t k = total - warmup; k < total; ++k)
    backward(k);
  for (std::uint64_t k = total - std::min(total, rank); k < total; ++k)
    add(ActionKind::BackwardWeight, k);
}
} // namespace

const ScheduleInfo dpl::cost::InterleavedZeroBubbleSchedule{
    .summary = "interleaved 1F1B with weight gradients put off until ranks would wait",
    .backward = BackwardSplit::Split,
    .legal = legal,
    .generate = generate,
    .exchanges = prefetchedReceives,
    .equalStages = delayedWeights};
