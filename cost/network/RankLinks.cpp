//===- RankLinks.cpp - The links of pipeline ranks --------------------------------------------===//
#include "cost/network/RankLinks.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::ir;

cost::NodeTypeList dpl::cost::nodeTypesBetween(const Plan& plan, std::uint64_t from,
                                               std::uint64_t to) {
  NodeTypeList classes;
  for (const std::uint64_t rank : {from, to})
    llvm::append_range(classes,
                       plan.mesh.rankNodeTypes[plan.mesh.rankNodeTypesIndex(rank)].nodeTypes);
  return classes;
}

namespace {
/// Two pipeline ranks that hold members of a group that contains `rank`; equal if `rank` holds all.
std::pair<std::uint64_t, std::uint64_t> endsOf(const Plan& plan, const Group& group,
                                               std::uint64_t rank) {
  if (group.overStageReplicas())
    return {rank, plan.placement.ranks - 1 - rank};
  if (llvm::is_contained(group.axes, Axis::Pipeline))
    return {0, plan.placement.rankOf(plan.placement.stages() - 1)};
  return {rank, rank};
}
} // namespace

cost::NodeTypeList dpl::cost::nodeTypesOf(const Plan& plan, const Group& group,
                                          std::uint64_t rank) {
  const auto [from, to] = endsOf(plan, group, rank);
  return nodeTypesBetween(plan, from, to);
}

namespace {
/// Whether all nodes have the same ports, so that all ranks have equal links.
bool portsAlike(const Cluster& cluster) {
  return llvm::all_of(cluster.nodeTypes, [&](const NodeType& nodes) {
    return nodes.ports == cluster.nodeTypes.front().ports;
  });
}
} // namespace

LinkLevels dpl::cost::levelsBetween(const Plan& plan, std::uint64_t from, std::uint64_t to) {
  const Cluster& cluster = plan.cluster;
  if (portsAlike(cluster))
    return {cluster.levels.begin(), cluster.levels.end()};
  return linkLevels(cluster, nodeTypesBetween(plan, from, to));
}

namespace {
void adjust(LinkLevels& levels, const Plan& plan, CollectivePurpose purpose) {
  const Overlap& o = plan.layout.overlap;
  if ((purpose == CollectivePurpose::GradientReduce && o.gradients) ||
      (purpose == CollectivePurpose::ParameterGather && o.parameters) ||
      purpose == CollectivePurpose::PipelineActivation)
    for (LinkLevel& level : levels)
      level.inStep = 1;
}
} // namespace

LinkLevels dpl::cost::levelsFor(const Plan& plan, CollectivePurpose purpose, LinkLevels levels) {
  adjust(levels, plan, purpose);
  return levels;
}

LinkLevels dpl::cost::levelsFor(const Plan& plan, CollectivePurpose purpose, const Group& group,
                                std::uint64_t rank) {
  LinkLevels levels = levelsOf(plan, group, rank);
  adjust(levels, plan, purpose);
  return levels;
}

LinkLevels dpl::cost::levelsOf(const Plan& plan, const Group& group, std::uint64_t rank) {
  if (portsAlike(plan.cluster))
    return {plan.cluster.levels.begin(), plan.cluster.levels.end()};
  return linkLevels(plan.cluster, nodeTypesOf(plan, group, rank));
}
