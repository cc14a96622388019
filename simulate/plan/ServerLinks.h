#pragma once
//===- ServerLinks.h - The links between data ranks and servers beside their cluster ----------===//
#include "ir/Cluster.h"
#include "simulate/engine/Servers.h"

namespace dpl::simulation {

/// Adds the ports of all devices, the links out of units that carry less than these bring, how each
/// device comes to the servers, and a server's port, which is that of a nominal device. What leaves
/// the cluster crosses its outermost units, and of one node its ports.
void addLinks(const ir::Cluster& cluster, simulate::Servers& servers);

} // namespace dpl::simulation
