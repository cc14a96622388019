//===- Schedules.cpp - The table of schedules and what rows share -----------------------------===//
#include "cost/schedules/Schedule.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

const ScheduleInfo& dpl::cost::scheduleInfo(ScheduleKind kind) {
  static constexpr const ScheduleInfo* rows[] = {
#define SCHEDULE(KIND, NAME, PLACEMENT, CHUNKS) &KIND##Schedule,
#include "ir/Schedules.def"
  };
  return *rows[static_cast<std::size_t>(kind)];
}

Placement PipelineShape::placement() const { return {placementOf(kind), ranks, chunks}; }

std::uint64_t dpl::cost::durationOf(OperationKind kind, const PieceTime& time) {
  switch (kind) {
  case OperationKind::Forward:
    return time.forward;
  case OperationKind::Backward:
    return time.backward;
  case OperationKind::BackwardInput:
    return time.backward - time.weight;
  case OperationKind::BackwardWeight:
    return time.weight;
  case OperationKind::Collective:
  case OperationKind::Wait:
  case OperationKind::Optimizer:
    break;
  }
  return 0;
}

std::uint32_t dpl::cost::linkFrom(const Placement& placement, std::uint64_t rank,
                                  std::uint64_t chunk, bool forward) {
  // Forward is towards the rank before where a chunk runs through the ranks backwards.
  const bool reversed = (placement.kind == PlacementKind::VShaped ||
                         placement.kind == PlacementKind::Bidirectional) &&
                        chunk % 2 == 1;
  return static_cast<std::uint32_t>(2 * rank + (forward != reversed ? 0 : 1));
}

OperationList dpl::cost::operationsOf(const PipelineShape& shape, std::uint64_t rank) {
  const ScheduleInfo& info = scheduleInfo(shape.kind);
  OperationList list;
  list.reserve((info.splitsBackward ? 3 : 2) * shape.microBatches * shape.chunks);
  info.generate(shape, rank, list);
  return list;
}

std::uint64_t dpl::cost::busiestRank(const PipelineShape& shape,
                                     const std::vector<PieceTime>& times) {
  const Placement placement = shape.placement();
  const auto timeOf = [&](Placement::Place at) -> const PieceTime& {
    return times[placement.indexOf(at.rank, at.chunk)];
  };
  const std::uint64_t runs = shape.microBatches / placement.directions();
  std::uint64_t longest = 0;
  for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
    std::uint64_t work = 0, weights = 0, there = UINT64_MAX, back = UINT64_MAX;
    for (std::uint64_t chunk = 0; chunk < shape.chunks; ++chunk) {
      Placement::Place place{rank, chunk};
      work += runs * (timeOf(place).forward + timeOf(place).backward);
      weights += runs * timeOf(place).weight;
      std::uint64_t forward = 0, backward = 0;
      while (const auto before = placement.previous(place)) {
        const bool crosses = before->rank != place.rank;
        forward += timeOf(*before).forward + (crosses ? timeOf(*before).sendForward : 0);
        backward += timeOf(*before).backward - timeOf(*before).weight +
                    (crosses ? timeOf(place).sendBackward : 0);
        place = *before;
      }
      there = std::min(there, forward), back = std::min(back, backward);
    }
    // Weight gradients may be what a rank ends with; nobody waits for those.
    longest = std::max({longest, there + work, there + work - weights + back});
  }
  return longest;
}

void dpl::cost::generateInTurns(const PipelineShape& shape, std::uint64_t warmup,
                                std::uint64_t turn, OperationList& out) {
  const std::uint64_t total = shape.microBatches * shape.chunks;
  const auto add = [&](OperationKind kind, std::uint64_t k) {
    const std::uint64_t whole = turn * shape.chunks, first = k / whole * turn;
    const std::uint64_t size = std::min(turn, shape.microBatches - first), inside = k % whole;
    const std::uint64_t chunk = inside / size;
    out.push_back({kind,
                   static_cast<std::uint16_t>(
                       kind == OperationKind::Forward ? chunk : shape.chunks - 1 - chunk),
                   static_cast<std::uint32_t>(first + inside % size)});
  };
  for (std::uint64_t k = 0; k < warmup; ++k)
    add(OperationKind::Forward, k);
  for (std::uint64_t k = warmup; k < total; ++k)
    add(OperationKind::Forward, k), add(OperationKind::Backward, k - warmup);
  for (std::uint64_t k = total - warmup; k < total; ++k)
    add(OperationKind::Backward, k);
}
