#pragma once
//===- ServerLinks.h - Links between data ranks and external parameter servers ----------------===//
#include "ir/Cluster.h"
#include "simulate/engine/Servers.h"

namespace dpl::simulation {

/// Adds the ports of all devices, the oversubscribed links out of units, each device's route to the
/// servers, and a server's port, which equals that of a nominal device. Messages leave the cluster
/// through its outermost units, or through the ports if it has one node.
void addLinks(const ir::Cluster& cluster, simulate::Servers& servers);

} // namespace dpl::simulation
