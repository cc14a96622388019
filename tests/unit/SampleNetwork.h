#pragma once
//===- SampleNetwork.h - Networks for tests ---------------------------------------------------===//
#include "ir/Cluster.h"

namespace dpl::test {

/// bits/s of a device, ps a message, share that is reached.
struct SampleLink {
  std::uint64_t bandwidth = 0, latency = 0;
  double efficiency = 1;
};

inline ir::LinkType linkOf(ir::LinkKind kind, const SampleLink& from) {
  ir::LinkType link;
  link.kind = kind, link.bandwidth = from.bandwidth, link.latency = from.latency;
  link.efficiency = from.efficiency;
  return link;
}

inline ir::LinkType taperOf(ir::LinkKind kind, double taper) {
  ir::LinkType link;
  link.kind = kind, link.taper = taper;
  return link;
}

/// Domains of so many nodes and a network with a port for each device. Counts of the cluster are
/// set.
inline void setNetwork(ir::Cluster& cluster, std::uint64_t domainNodes, const SampleLink& fast,
                       const SampleLink& slow, double taper = 1) {
  ir::Network& network = cluster.network;
  network.nodeDevices = cluster.gpusPerNode;
  network.units = {{domainNodes == 1 ? ir::Level::Node : ir::Level::Domain, domainNodes}};
  network.links = {linkOf(ir::LinkKind::ScaleUp, fast), linkOf(ir::LinkKind::Port, slow),
                   linkOf(ir::LinkKind::Network, slow), taperOf(ir::LinkKind::Spine, taper)};
  network.links[1].count = cluster.gpusPerNode;
  for (ir::NodeType& nodes : cluster.nodeTypes)
    nodes.ports = 1;
  cluster.levels = ir::linkLevels(cluster);
}

/// The link of a kind, to be changed; whoever does sets the levels anew.
inline ir::LinkType& linkIn(ir::Cluster& cluster, ir::LinkKind kind) {
  return const_cast<ir::LinkType&>(*cluster.network.find(kind));
}

} // namespace dpl::test
