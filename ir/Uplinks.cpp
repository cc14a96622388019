//===- Uplinks.cpp - Uplinks onto which flows are hashed --------------------------------------===//
#include "ir/Uplinks.h"

using namespace dpl;
using namespace dpl::ir;

std::uint64_t ir::uplinksOutOf(const Cluster& cluster, std::size_t level) {
  if (level + 1 >= cluster.levels.size())
    return 1;
  std::uint64_t most = 1;
  for (const auto& [unit, kind] :
       {std::pair(Level::Leaf, LinkKind::Leaf), std::pair(Level::Pod, LinkKind::Pod)})
    if (const LinkType* out = cluster.network.find(kind);
        out && !out->isDirect() &&
        cluster.network.nodesIn(unit) * cluster.gpusPerNode == cluster.levels[level].devices)
      most = std::max(most, out->count);
  return most;
}

bool ir::hashesFlows(const Cluster& cluster) {
  for (std::size_t level = 0; level < cluster.levels.size(); ++level)
    if (uplinksOutOf(cluster, level) > 1)
      return true;
  return false;
}
