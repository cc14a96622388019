//===- ScatteredRing.cpp - A ring whose neighbours are in different units ---------------------===//
//
// This is a ring in another order: each rank is followed by the rank with its position in the next
// outermost unit, so that every hop leaves the node. Libraries build such rings if they do not see
// the topology, as in virtual machines. One ring runs alone, and each rank uses its own port.
#include "cost/collectives/Algorithm.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
LevelLoad load(const GroupShape& shape, std::size_t level) {
  const double all = level == shape.spannedLevel() ? 1 : 0;
  return {all, all, all};
}

Pattern scattered(const Pattern& ring) {
  Pattern pattern = ring;
  pattern.load = load, pattern.sideBySide = false, pattern.farther = true;
  return pattern;
}

void phases(CollectiveKind kind, const GroupShape& shape, Phases& out) {
  static const Pattern reduceScatter = scattered(ringReduceScatter),
                       allGather = scattered(ringAllGather);
  const auto add = [&](const Pattern& pattern) {
    AlgorithmPhase phase = wholeGroup(pattern, shape);
    phase.stride = shape.below(shape.spannedLevel());
    out.add(phase);
  };
  if (reduces(kind))
    add(reduceScatter);
  if (gathers(kind))
    add(allGather);
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                    CollectiveKind::AllGather};
} // namespace

const AlgorithmInfo dpl::cost::scatteredRing{.kinds = kinds,
                                             .phases = phases,
                                             .closedForm = true,
                                             .nccl = true,
                                             .hop = HopKind::Ring,
                                             .onlyStated = true};
