//===- Routes.cpp - Where the messages of the passes of each chunk go -------------------------===//
#include "cost/schedules/Routes.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// The link on which a rank sends what its chunk makes: forward is towards the rank before where a
/// chunk runs through the ranks backwards.
std::uint32_t linkFrom(const Placement& placement, Placement::Place at, bool forward) {
  const bool reversed = (placement.kind == PlacementKind::VShaped ||
                         placement.kind == PlacementKind::Bidirectional) &&
                        at.chunk % 2 == 1;
  return static_cast<std::uint32_t>(2 * at.rank + (forward != reversed ? 0 : 1));
}
} // namespace

void Routes::assign(const Placement& placement) {
  chunks = placement.chunks;
  all.clear();
  all.reserve(2 * placement.copies());
  const auto copyAt = [&](Placement::Place at) {
    return static_cast<std::uint32_t>(placement.indexOf(at.rank, at.chunk));
  };
  for (std::uint64_t rank = 0; rank < placement.ranks; ++rank)
    for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
      const Placement::Place at{rank, chunk};
      const auto after = placement.next(at), before = placement.previous(at);
      for (const bool forward : {true, false}) {
        const auto& to = forward ? after : before;
        const auto& from = forward ? before : after;
        Route& route = all.emplace_back();
        route.copy = copyAt(at);
        if (to)
          route.to = copyAt(*to), route.toRank = static_cast<std::uint32_t>(to->rank);
        if (from)
          route.from = copyAt(*from), route.fromRank = static_cast<std::uint32_t>(from->rank);
        if (to && to->rank != rank)
          route.link = linkFrom(placement, at, forward);
        if (from && from->rank != rank)
          route.fromLink = linkFrom(placement, *from, forward);
      }
    }
}
