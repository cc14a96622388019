//===- Hierarchical.cpp - Reduce-scatter inside, all-reduce of shards outside -----------------===//
//
// An all-to-all also goes level by level: data for a position in any unit first goes to the rank
// with that position in the sender's unit, and from there to the receiver's unit. This needs Σ(w −
// 1) messages instead of n − 1, and each byte leaves the unit once.
#include "cost/collectives/Algorithm.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
void phases(CollectiveKind kind, const GroupShape& shape, Phases& out) {
  if (kind == CollectiveKind::AllToAll)
    addPerLevel(out, exchangeOneByOne, shape, LevelOrder::Outward, false);
  if (reduces(kind))
    addPerLevel(out, ringReduceScatter, shape, LevelOrder::Outward, true);
  if (gathers(kind))
    addPerLevel(out, ringAllGather, shape, LevelOrder::Inward, true);
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                    CollectiveKind::AllGather, CollectiveKind::AllToAll};
} // namespace

const AlgorithmInfo dpl::cost::hierarchical{kinds, phases};
