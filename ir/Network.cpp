//===- Network.cpp - Link levels as a view of the network -------------------------------------===//
#include "ir/Network.h"
#include "ir/Names.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::ir;

std::string LinkType::displayName() const {
  return pool.empty() ? name(kind) : pool + " " + name(kind);
}

const LinkType* Network::find(LinkKind kind) const {
  for (const LinkType& link : links)
    if (link.kind == kind)
      return &link;
  return nullptr;
}

std::uint64_t Network::nodesIn(Level level) const {
  for (const UnitKind& unit : units)
    if (unit.level == level)
      return unit.nodes;
  return 0;
}

std::uint64_t Network::displaced(std::uint64_t devices, std::uint64_t ports) const {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < devices; ++i)
    count += portAt(i, ports) != i * ports / nodeDevices;
  return count;
}

std::uint64_t Network::mostPerPort(std::uint64_t devices, std::uint64_t ports) const {
  std::vector<std::uint64_t> on(ports);
  for (std::uint64_t i = 0; i < devices; ++i)
    ++on[portAt(i, ports)];
  return *std::max_element(on.begin(), on.end());
}

namespace {
double taperOf(const Network& network, LinkKind kind) {
  const LinkType* link = network.find(kind);
  return link ? link->taper : 1;
}

/// bits/s of a device whose node has these ports.
std::uint64_t portShare(const Network& network, const LinkType& port) {
  return static_cast<std::uint64_t>(static_cast<double>(port.count) *
                                    static_cast<double>(port.bandwidth) /
                                    static_cast<double>(network.nodeDevices));
}

/// The network link of a device whose ports are in order. A network that keeps up with the nominal
/// ports keeps up with all ports; a slower one limits all of them. The same holds for latencies.
LinkType inOrder(const Network& network, const LinkType& port) {
  LinkType link = *network.find(LinkKind::Network);
  const LinkType& nominal = *network.find(LinkKind::Port);
  if (&port == &nominal)
    return link;
  const std::uint64_t own = portShare(network, port);
  // Bandwidths per device are whole bits/s.
  const bool keepsUp = link.bandwidth + 1 >= portShare(network, nominal);
  link.bandwidth = keepsUp ? own : std::min(link.bandwidth, own);
  if (link.latency == nominal.latency)
    link.latency = port.latency;
  return link;
}

/// The network link of a device with the cluster's affinity of devices to ports. All devices wait
/// for those that share a port with most others or cross the host.
LinkType through(const Cluster& cluster, const LinkType& port) {
  const Network& network = cluster.network;
  LinkType link = inOrder(network, port);
  if (network.affinity.empty())
    return link;
  const std::uint64_t devices = cluster.gpusPerNode,
                      ports = std::min(port.count, network.nodeDevices),
                      most = network.mostPerPort(devices, ports),
                      displaced = network.displaced(devices, ports);
  link.bandwidth = std::min(link.bandwidth, port.bandwidth / most);
  if (const LinkType* host = network.find(LinkKind::Host); host && displaced > 0)
    link.bandwidth = std::min(link.bandwidth, host->bandwidth / displaced);
  return link;
}

/// The properties of communicating devices on which NCCL's tuner decides: channels per device (the
/// ports of its node, at most one per device) and the compute capability.
struct NcclView {
  double channels = 0, computeCapability = 0;
  friend bool operator==(const NcclView&, const NcclView&) = default;
};
NcclView ncclView(const Cluster& cluster, const NodeType& nodes) {
  const Network& network = cluster.network;
  const auto devices = static_cast<double>(network.nodeDevices),
             ports = static_cast<double>(network.links[nodes.ports].count);
  return {std::min(1.0, ports / devices), nodes.device.computeCapability};
}

/// Collects the levels of a cluster, innermost first.
class LevelView {
public:
  LevelView(const Cluster& cluster, const LinkType& slow, const NcclView& nccl)
      : cluster(cluster), network(cluster.network), slow(slow), nccl(nccl) {}

  LinkLevels levels() {
    const LinkType* fast = network.find(LinkKind::ScaleUp);
    assert(fast && !network.units.empty() && "the front end states them");
    const UnitKind& domain = network.units.front();
    add(domain.level, domain.nodes, *fast, fast->bandwidth, 1);
    // Traffic that leaves a unit passes the oversubscription at its top and those of the units
    // inside.
    double taper = 1;
    for (std::size_t i = 1; i < network.units.size(); ++i) {
      const UnitKind& unit = network.units[i];
      if (unit.level == Level::Site)
        taper *= taperOf(network, LinkKind::Spine);
      if (unit.nodes > inner && inner < cluster.nodes)
        add(unit.level, unit.nodes, slow, slow.bandwidth, taper);
      inner = unit.nodes;
      if (unit.level == Level::Site)
        outside = inside = {};
      if (unit.level != Level::Leaf && unit.level != Level::Pod)
        continue;
      const LinkKind kind = unit.level == Level::Leaf ? LinkKind::Leaf : LinkKind::Pod;
      taper *= taperOf(network, kind);
      inside = outside, outside = {network.find(kind), unit.nodes};
    }
    if (inner < cluster.nodes)
      addTop(taper);
    return std::move(all);
  }

private:
  static double reached(std::uint64_t bandwidth, const LinkType& link) {
    return static_cast<double>(bandwidth) * link.efficiency;
  }
  void addTop(double taper) {
    const LinkType* out = network.find(LinkKind::Site);
    if (!out) {
      add(Level::Cluster, cluster.nodes, slow, slow.bandwidth,
          taper * taperOf(network, LinkKind::Spine));
      return;
    }
    // All devices of a site send at once. Each has its share of the links out of the site, limited
    // by its ports and the network.
    const std::uint64_t share = out->bandwidth / (inner * cluster.gpusPerNode);
    LinkType link = *out;
    if (reached(slow.bandwidth, slow) < reached(share, *out))
      link.bandwidth = slow.bandwidth, link.efficiency = slow.efficiency;
    else
      link.bandwidth = std::max<std::uint64_t>(share, 1);
    add(Level::Cluster, cluster.nodes, link, link.bandwidth, 1);
  }
  void add(Level level, std::uint64_t nodes, const LinkType& link, std::uint64_t bandwidth,
           double taper) {
    all.push_back({level, nodes * cluster.gpusPerNode, bandwidth, link.latency, link.efficiency,
                   taper, link.inSwitch, link.peerLinks, network.library, network.algorithm,
                   network.pat, network.collectiveOverhead, all.empty() ? 1 : network.inStep});
    inner = nodes;
    all.back().computeCapability = nccl.computeCapability;
    if (level <= Level::Domain)
      return;
    all.back().channels = nccl.channels;
    join(all.back());
  }

  /// Links out of a leaf or pod; empty for other units.
  struct UnitLinks {
    const LinkType* out = nullptr;
    std::uint64_t nodes = 0;
    bool areDirect() const { return out && out->isDirect(); }
  };
  /// Bandwidth of all devices of a unit divided by that of its links to another unit.
  double pairTaper(const UnitLinks& units, const LinkLevel& level) const {
    const std::uint64_t devices = std::min(units.nodes, cluster.nodes) * cluster.gpusPerNode;
    return static_cast<double>(devices) * static_cast<double>(level.bandwidth) /
           static_cast<double>(units.out->bandwidth);
  }
  void join(LinkLevel& level) const {
    if (!outside.areDirect())
      return;
    level.pair = pairTaper(outside, level);
    if (!inside.areDirect() || inside.nodes >= outside.nodes)
      return;
    level.within = std::max(1.0, pairTaper(inside, level));
    level.joined = outside.nodes / inside.nodes;
  }

  const Cluster& cluster;
  const Network& network;
  const LinkType& slow; ///< link outside the domain
  const NcclView& nccl;
  LinkLevels all;
  std::uint64_t inner = 0;   ///< nodes of a unit that the next level connects
  UnitLinks outside, inside; ///< units that the next level connects, and their inner units
};
} // namespace

LinkLevels ir::linkLevels(const Cluster& cluster, llvm::ArrayRef<std::uint64_t> classes) {
  const Network& network = cluster.network;
  LinkType slowest = through(cluster, network.links[cluster.nodeTypes[classes.front()].ports]);
  NcclView nccl = ncclView(cluster, cluster.nodeTypes[classes.front()]);
  for (const std::uint64_t c : classes.drop_front()) {
    const NcclView other = ncclView(cluster, cluster.nodeTypes[c]);
    nccl.channels = std::min(nccl.channels, other.channels);
    nccl.computeCapability = std::min(nccl.computeCapability, other.computeCapability);
    const LinkType link = through(cluster, network.links[cluster.nodeTypes[c].ports]);
    slowest.bandwidth = std::min(slowest.bandwidth, link.bandwidth);
    slowest.latency = std::max(slowest.latency, link.latency);
  }
  return LevelView(cluster, slowest, nccl).levels();
}

std::vector<LinkLevel> ir::linkLevels(const Cluster& cluster) {
  const Network& network = cluster.network;
  LinkType fastest = *network.find(LinkKind::Network);
  NcclView nccl;
  bool first = true;
  for (const NodeType& nodes : cluster.nodeTypes) {
    // If node types differ, the most channels and no compute capability set no limit, so that no
    // group is faster than this bound.
    const NcclView own = ncclView(cluster, nodes);
    if (first)
      nccl = own;
    else if (!(own == nccl))
      nccl = {std::max(nccl.channels, own.channels), 0};
    const LinkType link = through(cluster, network.links[nodes.ports]);
    fastest.bandwidth = first ? link.bandwidth : std::max(fastest.bandwidth, link.bandwidth);
    fastest.latency = first ? link.latency : std::min(fastest.latency, link.latency);
    first = false;
  }
  const LinkLevels levels = LevelView(cluster, fastest, nccl).levels();
  return {levels.begin(), levels.end()};
}
