//===- Hierarchical.cpp - Reduce-scatter inside, all-reduce of the shards outside -------------===//
#include "cost/collectives/Algorithm.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
void phases(CollectiveKind kind, const GroupShape& shape, Phases& out) {
  if (reduces(kind))
    addPerLevel(out, ringReduceScatter, shape, Sweep::Outward, true);
  if (gathers(kind))
    addPerLevel(out, ringAllGather, shape, Sweep::Inward, true);
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                    CollectiveKind::AllGather};
} // namespace

const AlgorithmInfo dpl::cost::hierarchical{kinds, phases};
