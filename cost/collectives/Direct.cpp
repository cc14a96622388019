//===- Direct.cpp - All messages posted at once from sender to receiver -----------------------===//
#include "cost/collectives/Algorithm.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
double toAll(std::uint64_t ranks, double share) {
  const double n = static_cast<double>(ranks);
  return share * (n - 1) / n;
}

/// Slice j of rank i is for rank j.
void exchange(std::uint64_t n, std::uint64_t, MessageSink sink) {
  for (std::uint64_t i = 0; i < n; ++i)
    for (std::uint64_t j = 0; j < n; ++j)
      if (i != j)
        sink({i, j, j, 1, false});
}
void message(std::uint64_t, std::uint64_t, MessageSink sink) { sink({0, 1, 0, 1, false}); }

/// The share of a rank's data for peers whose common unit is of this level.
LevelLoad toPeers(const GroupShape& shape, std::size_t level) {
  const double peers = static_cast<double>(shape.ranks() - 1);
  const double share =
      (static_cast<double>(shape.inside[level]) - static_cast<double>(shape.below(level))) / peers;
  return {share, share, level == shape.spannedLevel() ? 1.0 : 0.0};
}

constexpr Pattern amongAll{.steps = once,
                           .sent = toAll,
                           .slices = oneOfEach,
                           .messages = exchange,
                           .load = toPeers,
                           .farther = true,
                           .atOnce = true};
constexpr Pattern betweenTwo{once, wholeShare, once, message, nullptr};

void phases(CollectiveKind kind, const GroupShape& shape, Phases& out) {
  if (kind == CollectiveKind::AllToAll)
    out.add(wholeGroup(amongAll, shape));
  else
    addPerLevel(out, betweenTwo, shape, LevelOrder::Outward, false);
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllToAll, CollectiveKind::SendReceive};
} // namespace

const AlgorithmInfo dpl::cost::direct{
    .kinds = kinds, .phases = phases, .closedForm = true, .nccl = true, .hop = HopKind::Ring};
