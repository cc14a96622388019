//===- VerifyNetwork.cpp - Units nest, and the links of levels exist --------------------------===//
#include "ir/Names.h"
#include "ir/Verify.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

namespace {

class NetworkVerifier {
public:
  NetworkVerifier(const Cluster& cluster, std::vector<std::string>& broken)
      : cluster(cluster), network(cluster.network), broken(broken) {}

  void run() {
    units();
    links();
    for (const NodeType& nodes : cluster.nodeTypes)
      rule(nodes.ports < network.links.size() && network.links[nodes.ports].kind == LinkKind::Port,
           "the {} nodes have links {} of {} for ports", nodes.displayName(), nodes.ports,
           network.links.size());
    for (const Affinity& affinity : network.affinity) {
      rule(affinity.ports.size() == network.nodeDevices, "{} of {} devices of a node have ports",
           affinity.ports.size(), network.nodeDevices);
      for (const NodeType& nodes : cluster.nodeTypes)
        for (const std::uint64_t port : affinity.ports)
          rule(nodes.ports < network.links.size() && port < network.links[nodes.ports].count,
               "the {} nodes have no port {}", nodes.displayName(), port);
    }
    for (const Torus& torus : network.torus) {
      rule(!torus.sizes.empty() && torus.sizes.size() <= mostDimensions,
           "a torus has {} dimensions", torus.sizes.size());
      for (const std::uint64_t size : torus.sizes)
        rule(size > 1, "a dimension of a torus has {} devices", size);
    }
    rule(isOrder(network.order), "rings go through {} devices, not each of them once",
         network.order.size());
    rule(cluster.gpusPerNode <= network.nodeDevices, "{} devices of a node run, it has {}",
         cluster.gpusPerNode, network.nodeDevices);
  }

private:
  template <class... Args> void rule(bool holds, fmt::format_string<Args...> text, Args&&... args) {
    if (!holds)
      broken.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void units() {
    const UnitKind* inner = nullptr;
    for (const UnitKind& unit : network.units) {
      rule(inner ? unit.level > inner->level
                 : unit.level == Level::Node || unit.level == Level::Domain,
           "unit {} is not outside {}", name(unit.level),
           inner ? name(inner->level) : "the device");
      const std::uint64_t within = inner ? inner->nodes : 1;
      rule(unit.nodes > 0 && (within == 0 || unit.nodes % within == 0),
           "unit {} of {} nodes does not hold whole units of the kind below", name(unit.level),
           unit.nodes);
      inner = &unit;
    }
    rule(inner, "the network has no unit");
  }

  void links() {
    for (const LinkType& link : network.links) {
      const bool tapered =
          link.kind == LinkKind::Leaf || link.kind == LinkKind::Pod || link.kind == LinkKind::Spine;
      rule(tapered ? link.bandwidth == 0 || link.isDirect() : link.bandwidth > 0,
           "links of class {} have a bandwidth of {}", name(link.kind), link.bandwidth);
      rule(link.count > 0 && link.efficiency > 0 && link.taper >= 1,
           "links of class {} are {} of efficiency {} and taper {}", name(link.kind), link.count,
           link.efficiency, link.taper);
      rule(link.kind == LinkKind::Port || network.find(link.kind) == &link,
           "there are two classes {} of links", name(link.kind));
    }
    for (const LinkType& link : network.links)
      rule(link.inSwitch >= 0 && link.inSwitch <= 1, "links of class {} add {} in the switch",
           name(link.kind), link.inSwitch);
    rule(network.inStep > 0 && network.inStep <= 1, "a step has {} of the network", network.inStep);
    for (const LinkKind needed : {LinkKind::ScaleUp, LinkKind::Network})
      rule(network.find(needed), "the network has no links of class {}", name(needed));
  }

  const Cluster& cluster;
  const Network& network;
  std::vector<std::string>& broken;
};

} // namespace

bool ir::isOrder(llvm::ArrayRef<std::uint64_t> places) {
  std::vector<bool> seen(places.size(), false);
  for (const std::uint64_t place : places) {
    if (place >= places.size() || seen[place])
      return false;
    seen[place] = true;
  }
  return true;
}

bool ir::verifyNetwork(const Cluster& cluster, std::vector<std::string>& broken) {
  const std::size_t before = broken.size();
  NetworkVerifier(cluster, broken).run();
  return broken.size() == before;
}
