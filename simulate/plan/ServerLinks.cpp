//===- ServerLinks.cpp - Links between data ranks and external parameter servers --------------===//
#include "simulate/plan/ServerLinks.h"
#include "ir/Arithmetic.h"

using namespace dpl;
using namespace dpl::simulation;
using ir::real;

namespace {
/// The link levels of a node type. If one domain contains all nodes, the level of the network is
/// added, because servers are outside.
ir::LinkLevels levelsOf(const ir::Cluster& cluster, std::uint64_t nodeType) {
  if (cluster.levels.size() > 1)
    return ir::linkLevels(cluster, nodeType);
  ir::Cluster larger = cluster;
  larger.nodes = cluster.network.units.front().nodes + 1;
  return ir::linkLevels(larger, nodeType);
}

/// Bytes per ps of a device: `untapered` if only its port limits it, `tapered` if all devices of a
/// unit send.
double untapered(const ir::LinkLevel& level) {
  return real(level.bandwidth) * level.efficiency / 8e12;
}
double tapered(const ir::LinkLevel& level) { return untapered(level) / level.taper(); }

class Links {
public:
  Links(const ir::Cluster& cluster, simulate::Servers& out) : cluster(cluster), out(out) {
    for (std::uint64_t c = 0; c < cluster.nodeTypes.size(); ++c) {
      levels.push_back(levelsOf(cluster, c));
      nodeTypeOf.resize(nodeTypeOf.size() + cluster.nodeTypes[c].nodes * cluster.gpusPerNode, c);
    }
  }

  void add() {
    out.rate = portOf(0);
    addPorts();
    for (std::size_t l = 0; l + 1 < levels.front().size(); ++l)
      addUnits(l);
  }

private:
  std::uint64_t portsOf(std::uint64_t nodeType) const {
    const ir::Network& network = cluster.network;
    return std::min(network.links[cluster.nodeTypes[nodeType].ports].count, network.nodeDevices);
  }
  /// The capacity of one port of a node: the sum over the devices that share it.
  double portOf(std::uint64_t nodeType) const {
    const ir::Network& network = cluster.network;
    const std::uint64_t ports = portsOf(nodeType);
    const double sharing = network.affinity.empty()
                               ? real(network.nodeDevices) / real(ports)
                               : real(network.mostPerPort(cluster.gpusPerNode, ports));
    return untapered(levels[nodeType][1]) * sharing;
  }

  void addPorts() {
    std::size_t ofNode = 0; // number of the first port of the current node
    for (std::uint64_t device = 0; device < nodeTypeOf.size(); ++device) {
      const std::uint64_t c = nodeTypeOf[device], place = device % cluster.gpusPerNode;
      if (place == 0)
        ofNode = out.links.size();
      const std::size_t port = ofNode + cluster.network.portAt(place, portsOf(c));
      if (port >= out.links.size())
        out.links.resize(port + 1, portOf(c));
      out.ways.push_back({{static_cast<std::uint32_t>(port)}, levels[c].back().latency});
    }
  }

  void addUnits(std::size_t level) {
    const std::uint64_t each = levels.front()[level].devices;
    for (std::uint64_t first = 0; first < nodeTypeOf.size(); first += each) {
      const std::uint64_t last = std::min<std::uint64_t>(first + each, nodeTypeOf.size());
      double within = 0, leaving = 0;
      for (std::uint64_t device = first; device < last; ++device) {
        within += untapered(levels[nodeTypeOf[device]][1]);
        leaving += tapered(levels[nodeTypeOf[device]][level + 1]);
      }
      if (leaving > within * (1 - 1e-9))
        continue;
      for (std::uint64_t device = first; device < last; ++device)
        out.ways[device].links.push_back(static_cast<std::uint32_t>(out.links.size()));
      out.links.push_back(leaving);
    }
  }

  const ir::Cluster& cluster;
  simulate::Servers& out;
  std::vector<ir::LinkLevels> levels;    ///< by node type
  std::vector<std::uint64_t> nodeTypeOf; ///< by device
};
} // namespace

void dpl::simulation::addLinks(const ir::Cluster& cluster, simulate::Servers& servers) {
  Links(cluster, servers).add();
}
