//===- CollectiveEnds.cpp - The ranks of a collective and the links between them --------------===//
#include "cost/step/CollectiveEnds.h"
#include "cost/collectives/CollectiveCost.h"
#include "cost/programs/ChunkCollectives.h"
#include "ir/Arithmetic.h"

using namespace dpl;
using namespace dpl::cost;
using ir::real;

namespace {
CollectiveEnds endsOfGroup(const ir::Plan& plan, const ir::Collective& c) {
  const ir::Group& group = plan.groups[c.group];
  return {{group.inside.begin(), group.inside.end()},
          cost::levelsFor(plan, c.purpose, group, c.rank),
          cost::nodeTypesOf(plan, group, c.rank),
          group.torus,
          group.order};
}

/// The ends of a message between two pipeline ranks.
CollectiveEnds endsOfMessage(const ir::Plan& plan, std::uint64_t from, std::uint64_t to) {
  CollectiveEnds ends;
  ends.inside.assign(plan.cluster.levels.size(), 2);
  std::fill_n(ends.inside.begin(), cost::levelBetween(plan, from, to), 1);
  ends.levels = cost::levelsFor(plan, ir::CollectivePurpose::PipelineActivation,
                                cost::levelsBetween(plan, from, to));
  ends.nodeTypes = cost::nodeTypesBetween(plan, from, to);
  ends.torus = cost::torusOfMessages(plan);
  return ends;
}
} // namespace

CollectiveEnds cost::endsOf(const ir::Plan& plan, const ir::Collective& c) {
  if (c.kind != ir::CollectiveKind::SendReceive)
    return endsOfGroup(plan, c);
  const ir::Placement::ChunkLocation at{c.rank, c.chunk};
  CollectiveEnds ends = endsOfMessage(plan, c.rank, c.rank);
  for (const auto& other : {plan.placement.next(at), plan.placement.previous(at)}) {
    if (!other || other->rank == c.rank)
      continue;
    ends = endsOfMessage(plan, c.rank, other->rank);
    const double seconds =
        cost::collectiveCost(c.kind, real(c.bytes), ends.shape(), ends.levels).seconds;
    if (ir::toPicoseconds(seconds) == c.time)
      break;
  }
  return ends;
}
