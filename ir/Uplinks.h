#pragma once
//===- Uplinks.h - Links out of units that flows are hashed onto ------------------------------===//
#include "ir/Cluster.h"

namespace dpl::ir {

/// Links out of a unit of Cluster::levels[level] that flows are hashed onto, whatever kinds of
/// units it is; 1 where they spread evenly or nothing leaves it.
std::uint64_t uplinksOutOf(const Cluster& cluster, std::size_t level);
/// Whether anything leaves a unit over several.
bool hashesFlows(const Cluster& cluster);

} // namespace dpl::ir
