//===- HeldLinks.cpp - The links that pipeline ranks have -------------------------------------===//
#include "cost/network/HeldLinks.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::ir;

LinkLevels dpl::cost::levelsBetween(const Plan& plan, std::uint64_t from, std::uint64_t to) {
  const Cluster& cluster = plan.cluster;
  if (llvm::all_of(cluster.classes, [&](const NodeClass& nodes) {
        return nodes.ports == cluster.classes.front().ports;
      }))
    return {cluster.levels.begin(), cluster.levels.end()};
  llvm::SmallVector<std::uint64_t, 8> classes;
  for (const std::uint64_t rank : {from, to})
    llvm::append_range(classes, plan.mesh.held[plan.mesh.heldIndex(rank)].classes);
  return linkLevels(cluster, classes);
}

LinkLevels dpl::cost::levelsOf(const Plan& plan, const Group& group, std::uint64_t rank) {
  if (group.overCopies())
    return levelsBetween(plan, rank, plan.placement.ranks - 1 - rank);
  const bool ends = llvm::is_contained(group.axes, Axis::Pipeline);
  return levelsBetween(plan, ends ? 0 : rank,
                       ends ? plan.placement.rankOf(plan.placement.stages() - 1) : rank);
}
