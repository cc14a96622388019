//===- Routes.cpp - The messages of each chunk's actions --------------------------------------===//
#include "cost/schedules/Routes.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// The link on which a rank sends the output of its chunk. If the chunk traverses the ranks in
/// reverse, forward messages go to the previous rank.
std::uint32_t linkFrom(const Placement& placement, Placement::ChunkLocation at, bool forward) {
  const bool reversed = (placement.kind == PlacementKind::VShaped ||
                         placement.kind == PlacementKind::Bidirectional) &&
                        at.chunk % 2 == 1;
  return static_cast<std::uint32_t>(2 * at.rank + (forward != reversed ? 0 : 1));
}
} // namespace

void Routes::assign(const Placement& placement, std::uint64_t microBatches) {
  ofRanks = placement.ranks, perRank = placement.chunks;
  count = 2 * placement.stageReplicas() * microBatches;
  all.clear();
  all.reserve(placement.stageReplicas() * kinds);
  const auto into = [&](Placement::ChunkLocation at, bool forward) {
    const std::uint64_t copy = placement.indexOf(at.rank, at.chunk).index();
    return static_cast<std::uint32_t>((2 * copy + (forward ? 0 : 1)) * microBatches);
  };
  const auto channel = [](std::uint32_t link, bool forward) {
    return static_cast<std::uint8_t>(link % 2 * 2 + (forward ? 0 : 1));
  };
  for (std::uint64_t rank = 0; rank < placement.ranks; ++rank)
    for (std::uint64_t chunk = 0; chunk < perRank; ++chunk) {
      const Placement::ChunkLocation at{rank, chunk};
      const auto after = placement.next(at), before = placement.previous(at);
      Route alone;
      alone.stageReplica = static_cast<std::uint32_t>(placement.indexOf(rank, chunk).index());
      const auto routeOf = [&](bool forward) {
        Route route = alone;
        const auto &to = forward ? after : before, &from = forward ? before : after;
        if (to)
          route.output = into(*to, forward), route.toRank = static_cast<std::uint32_t>(to->rank);
        if (from)
          route.input = into(at, forward), route.fromRank = static_cast<std::uint32_t>(from->rank);
        if (to && to->rank != rank) {
          route.outputLink = linkFrom(placement, at, forward);
          route.outputChannel = channel(route.outputLink, forward);
        }
        if (from && from->rank != rank) {
          route.inputLink = linkFrom(placement, *from, forward);
          route.inputChannel = channel(route.inputLink, forward);
        }
        return route;
      };
      const Route forward = routeOf(true), backward = routeOf(false);
      // In the order of ActionKind.
      all.insert(all.end(), {forward, backward, backward, alone, alone, forward});
    }
}
