//===- Network.cpp - Link levels as a view of the network -------------------------------------===//
#include "ir/Network.h"
#include "ir/Names.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::ir;

std::string LinkClass::word() const { return part.empty() ? name(kind) : part + " " + name(kind); }

const LinkClass* Network::find(LinkKind kind) const {
  for (const LinkClass& link : links)
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

namespace {
double taperOf(const Network& network, LinkKind kind) {
  const LinkClass* link = network.find(kind);
  return link ? link->taper : 1;
}

/// Collects the levels of a cluster from the inside out.
class LevelView {
public:
  explicit LevelView(const Cluster& cluster) : cluster(cluster), network(cluster.network) {}

  std::vector<LinkLevel> levels() {
    const LinkClass* fast = network.find(LinkKind::ScaleUp);
    const LinkClass* slow = network.find(LinkKind::Network);
    assert(fast && slow && !network.units.empty() && "the front end states them");
    const UnitKind& domain = network.units.front();
    add(domain.level, domain.nodes, *fast, fast->bandwidth, 1);
    // Traffic that leaves a unit meets the taper at its top, and those of the units within.
    double taper = 1;
    for (std::size_t i = 1; i < network.units.size(); ++i) {
      const UnitKind& unit = network.units[i];
      if (unit.level == Level::Site)
        taper *= taperOf(network, LinkKind::Spine);
      if (unit.nodes > inner && inner < cluster.nodes)
        add(unit.level, unit.nodes, *slow, slow->bandwidth, taper);
      inner = unit.nodes;
      if (unit.level == Level::Leaf || unit.level == Level::Pod)
        taper *= taperOf(network, unit.level == Level::Leaf ? LinkKind::Leaf : LinkKind::Pod);
    }
    if (inner < cluster.nodes)
      addTop(*slow, taper);
    return std::move(all);
  }

private:
  static double reached(std::uint64_t bandwidth, const LinkClass& link) {
    return static_cast<double>(bandwidth) * link.efficiency;
  }
  void addTop(const LinkClass& slow, double taper) {
    const LinkClass* out = network.find(LinkKind::Site);
    if (!out) {
      add(Level::Cluster, cluster.nodes, slow, slow.bandwidth,
          taper * taperOf(network, LinkKind::Spine));
      return;
    }
    // All devices of a site send at once: each has its share of the links out of it, but no more
    // than its ports and the network bring there.
    const std::uint64_t share = out->bandwidth / (inner * cluster.gpusPerNode);
    LinkClass link = *out;
    if (reached(slow.bandwidth, slow) < reached(share, *out))
      link.bandwidth = slow.bandwidth, link.efficiency = slow.efficiency;
    else
      link.bandwidth = std::max<std::uint64_t>(share, 1);
    add(Level::Cluster, cluster.nodes, link, link.bandwidth, 1);
  }
  void add(Level level, std::uint64_t nodes, const LinkClass& link, std::uint64_t bandwidth,
           double taper) {
    all.push_back(
        {level, nodes * cluster.gpusPerNode, bandwidth, link.latency, link.efficiency, taper});
    inner = nodes;
  }

  const Cluster& cluster;
  const Network& network;
  std::vector<LinkLevel> all;
  std::uint64_t inner = 0; ///< nodes of the unit that the next level is made of
};
} // namespace

std::vector<LinkLevel> ir::linkLevels(const Cluster& cluster) {
  return LevelView(cluster).levels();
}
