#pragma once
//===- ServerLinks.h - Links between data ranks and external parameter servers ----------------===//
#include "ir/Cluster.h"
#include "simulate/engine/Servers.h"

namespace dpl::simulation {

/// Adds the links that workers use to reach the servers: the ports of all devices, the
/// oversubscribed links out of units, and for each server a port like that of a nominal device.
/// Also sets each device's route. Messages leave the cluster through the outermost units, or
/// through the ports if it has one node.
void addLinks(const ir::Cluster& cluster, simulate::Servers& servers);

} // namespace dpl::simulation
