//===- Hierarchical.cpp - Reduce-scatter inside, all-reduce of the shards outside -------------===//
//
// An all-to-all goes level by level as well: what is for a place in any unit goes to the rank with
// that place in one's own, and from there to its unit: Σ(w − 1) messages instead of n − 1, and what
// leaves leaves once.
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
