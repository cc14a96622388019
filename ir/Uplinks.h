#pragma once
//===- Uplinks.h - Uplinks onto which flows are hashed ----------------------------------------===//
#include "ir/Cluster.h"

namespace dpl::ir {

/// Links out of a unit of Cluster::levels[level] onto which flows are hashed; 1 if they spread
/// evenly or no link leaves the unit.
std::uint64_t uplinksOutOf(const Cluster& cluster, std::size_t level);
/// Whether any unit has several links onto which flows are hashed.
bool hashesFlows(const Cluster& cluster);

} // namespace dpl::ir
