//===- Dimensions.cpp - Rings along the dimensions of a torus ---------------------------------===//
//
// A rank reduce-scatters along one dimension after another, and all-gathers in reverse order, so
// that it waits for Σ(k−1) messages instead of n−1. The buffer is divided into parts, and each part
// begins with another dimension. Thus all links of a device are always busy, up to the share that
// the group has (Torus.h). Outside the torus rings go level by level.
#include "cost/collectives/Algorithm.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
void addInside(Phases& out, const Pattern& pattern, const GroupShape& shape, LevelOrder sweep) {
  const std::size_t count = shape.torus.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t d = sweep == LevelOrder::Outward ? i : count - 1 - i;
    std::uint64_t below = 1;
    for (const TorusRanks& inner : shape.torus.take_front(d))
      below *= inner.ranks;
    if (shape.torus[d].ranks > 1)
      out.add({&pattern, shape.torus[d].ranks, below, 0, 1 / static_cast<double>(below), false});
  }
}
void addBeyond(Phases& out, const Pattern& pattern, const GroupShape& shape, LevelOrder sweep) {
  Phases levels;
  addPerLevel(levels, pattern, shape, sweep, true);
  for (const AlgorithmPhase& phase : levels)
    if (phase.level > 0)
      out.add(phase);
}

void phases(CollectiveKind kind, const GroupShape& shape, Phases& out) {
  if (shape.torus.empty())
    return;
  if (reduces(kind)) {
    addInside(out, ringReduceScatter, shape, LevelOrder::Outward);
    addBeyond(out, ringReduceScatter, shape, LevelOrder::Outward);
  }
  if (gathers(kind)) {
    addBeyond(out, ringAllGather, shape, LevelOrder::Inward);
    addInside(out, ringAllGather, shape, LevelOrder::Inward);
  }
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                    CollectiveKind::AllGather};
} // namespace

const AlgorithmInfo dpl::cost::dimensions{
    .kinds = kinds, .phases = phases, .needs = "a domain with `torus`"};
