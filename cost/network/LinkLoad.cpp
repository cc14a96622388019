//===- LinkLoad.cpp - The load of groups on the links of the network --------------------------===//
#include "cost/network/LinkLoad.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {

std::uint64_t insideUnit(const Stride& s, std::uint64_t unit) {
  if (unit % s.period == 0)
    return s.count;
  if (s.period != s.stride * s.count)
    return 1;
  const std::uint64_t block = std::gcd(s.period, unit);
  return block % s.stride == 0 ? block / s.stride : 1;
}

/// Ranks of the first group among the first `unit` devices. No group has more ranks in a unit,
/// because no other stretch of this length contains more of it.
std::uint64_t mostInside(llvm::ArrayRef<Stride> strides, std::uint64_t unit) {
  std::uint64_t all = 1, found = 0;
  for (const Stride& s : strides)
    all *= s.count;
  for (const Stride& s : strides) {
    all /= s.count;
    const std::uint64_t whole = unit / s.stride;
    if (whole >= s.count)
      return found + s.count * all;
    found += whole * all;
    unit -= whole * s.stride;
  }
  return found + (unit > 0 ? 1 : 0);
}

/// Number of groups that begin among the first `unit` devices.
std::uint64_t groupsInside(llvm::ArrayRef<Stride> strides, std::uint64_t unit) {
  if (strides.empty())
    return unit;
  const Stride& s = strides.front();
  // A stride over the two ends of an axis skips the ranks between them. With a mirrored stride a
  // group begins at each rank of the first half.
  const std::uint64_t whole = unit / s.period,
                      block = s.mirrored ? s.period / 2 : s.period - s.stride * (s.count - 1);
  return (whole > 0 ? whole * groupsInside(strides.drop_front(), block) : 0) +
         groupsInside(strides.drop_front(), std::min(unit % s.period, block));
}

/// Ports of the nodes with the fewest ports; every entry of an affinity is one of them.
std::uint64_t portsOfNode(const Cluster& cluster) {
  std::uint64_t ports = cluster.network.nodeDevices;
  for (const NodeType& nodes : cluster.nodeTypes)
    ports = std::min(ports, cluster.network.links[nodes.ports].count);
  return ports;
}

std::uint64_t devicesOf(const Cluster& cluster, std::uint64_t nodes) {
  return std::min(nodes * cluster.gpusPerNode, cluster.devices());
}

/// Nodes below the spine.
std::uint64_t topNodes(const Cluster& cluster) {
  const std::uint64_t site = cluster.network.nodesIn(Level::Site);
  return site > 0 ? site : cluster.nodes;
}

/// Devices of the outermost unit inside a site.
std::uint64_t belowSpine(const Cluster& cluster) {
  std::uint64_t nodes = 0;
  for (const UnitKind& unit : cluster.network.units)
    if (unit.level != Level::Site)
      nodes = unit.nodes;
  return devicesOf(cluster, nodes);
}

Bundle portBundle(const Cluster& cluster, const LinkType& port) {
  if (!cluster.network.affinity.empty())
    return {cluster.network.mostPerPort(cluster.gpusPerNode, port.count), 1};
  const std::uint64_t all = cluster.network.nodeDevices, shared = std::gcd(all, port.count);
  const Bundle whole{all / shared, port.count / shared};
  if (cluster.gpusPerNode % whole.devices == 0)
    return whole;
  return {cluster.gpusPerNode, ceilDiv(cluster.gpusPerNode, whole.devices) * whole.links};
}

/// Whether ranks of one group send to one another over links of this type.
bool uses(const Group& group, const Cluster& cluster, const LinkType& link) {
  const auto inside = [&](std::uint64_t devices) { return ranksInside(group.strides, devices); };
  const std::uint64_t domain = devicesOf(cluster, cluster.network.units.front().nodes);
  switch (link.kind) {
  case LinkKind::ScaleUp:
    return mostInside(group.strides, domain) > 1;
  case LinkKind::Host:
    return bundleOf(cluster, link).devices > 0 && inside(domain) < group.size;
  case LinkKind::Port:
  case LinkKind::Network:
    return inside(domain) < group.size;
  case LinkKind::Spine:
    return inside(belowSpine(cluster)) <
           mostInside(group.strides, devicesOf(cluster, topNodes(cluster)));
  case LinkKind::Leaf:
  case LinkKind::Pod:
  case LinkKind::Site:
    break;
  }
  return inside(bundleOf(cluster, link).devices) < group.size;
}

/// Whether a device belongs to a group; groups of the ends of an axis skip the ranks between them.
bool isInOne(llvm::ArrayRef<Stride> strides, std::uint64_t device) {
  return std::all_of(strides.begin(), strides.end(), [&](const Stride& s) {
    return s.mirrored || device % s.period % s.stride < s.period - s.stride * (s.count - 1);
  });
}

/// The load of groups on one link of a type, if an affinity assigns devices to links: the load of
/// the first node's link with the most ranks.
LinkLoad loadInNode(const Group& group, const Cluster& cluster, const LinkType& link) {
  const std::uint64_t ports = link.kind == LinkKind::Port ? link.count : portsOfNode(cluster);
  const Network& network = cluster.network;
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> ranks; // by link and group
  for (std::uint64_t device = 0; device < cluster.gpusPerNode; ++device) {
    const std::uint64_t port = network.portAt(device, ports);
    if (!isInOne(group.strides, device) ||
        (link.kind == LinkKind::Host && port == device * ports / network.nodeDevices))
      continue;
    std::uint64_t first = device;
    for (const Stride& s : group.strides)
      first -= s.beyondFirst(device);
    ++ranks[link.kind == LinkKind::Host ? 0 : port][first];
  }
  LinkLoad load;
  std::uint64_t most = 0;
  for (const auto& [on, groups] : ranks) {
    std::uint64_t all = 0, each = 0;
    for (const auto& [first, count] : groups)
      all += count, each = std::max(each, count);
    if (all > most)
      most = all, load = {each, groups.size()};
  }
  return load;
}

/// Whether any node has these ports; link types other than ports always exist.
bool there(const Cluster& cluster, std::size_t link) {
  return cluster.network.links[link].kind != LinkKind::Port ||
         std::any_of(cluster.nodeTypes.begin(), cluster.nodeTypes.end(),
                     [&](const NodeType& nodes) { return nodes.ports == link; });
}

} // namespace

std::uint64_t dpl::cost::ranksInside(llvm::ArrayRef<Stride> strides, std::uint64_t unit) {
  std::uint64_t inside = 1;
  for (const Stride& s : strides)
    inside *= insideUnit(s, unit);
  return inside;
}

Bundle dpl::cost::bundleOf(const Cluster& cluster, const LinkType& link) {
  switch (link.kind) {
  case LinkKind::ScaleUp:
  case LinkKind::Network:
    break;
  case LinkKind::Port:
    return portBundle(cluster, link);
  case LinkKind::Host:
    return {cluster.network.displaced(cluster.gpusPerNode, portsOfNode(cluster)), 1};
  case LinkKind::Leaf:
    return {devicesOf(cluster, cluster.network.nodesIn(Level::Leaf)), link.count};
  case LinkKind::Pod:
    return {devicesOf(cluster, cluster.network.nodesIn(Level::Pod)), link.count};
  case LinkKind::Site:
    return {devicesOf(cluster, cluster.network.nodesIn(Level::Site)), link.count};
  case LinkKind::Spine:
    return {devicesOf(cluster, topNodes(cluster)), link.count};
  }
  return {1, link.count};
}

bool dpl::cost::carries(const Cluster& cluster, const LinkType& link, std::size_t level) {
  const LinkLevel& of = cluster.levels[level];
  switch (link.kind) {
  case LinkKind::ScaleUp:
    return level == 0;
  case LinkKind::Host:
    return level > 0 && bundleOf(cluster, link).devices > 0;
  case LinkKind::Port:
  case LinkKind::Network:
    return level > 0;
  case LinkKind::Spine:
    return level > 0 && of.devices > belowSpine(cluster);
  case LinkKind::Leaf:
  case LinkKind::Pod:
  case LinkKind::Site:
    return level > 0 && of.devices > bundleOf(cluster, link).devices;
  }
  return false;
}

namespace {
/// Number of direct links to other units that carry the data that a device sends to `units` units
/// of a level: links to these units, or links inside them as in LinkLevel::taperTo.
double pairsUsed(const Cluster& cluster, const LinkType& link, std::size_t level,
                 std::uint64_t units) {
  const LinkLevel& of = cluster.levels[level];
  const bool joins = link.kind == LinkKind::Pod || of.joined == 1;
  const std::uint64_t most = std::min(units, joins ? link.count : of.joined);
  return joins ? static_cast<double>(most) : std::max(1.0, static_cast<double>(most) / 2);
}
} // namespace

std::size_t dpl::cost::narrowestLink(const Cluster& cluster, llvm::ArrayRef<std::uint64_t> classes,
                                     std::size_t level, std::uint64_t units) {
  const auto theirs = [&](std::size_t link) {
    return cluster.network.links[link].kind != LinkKind::Port ||
           llvm::any_of(classes,
                        [&](std::uint64_t c) { return cluster.nodeTypes[c].ports == link; });
  };
  const std::vector<LinkType>& links = cluster.network.links;
  const double network = static_cast<double>(cluster.network.find(LinkKind::Network)->bandwidth);
  std::size_t narrowest = 0;
  double least = std::numeric_limits<double>::infinity(), taper = 1;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (!theirs(i) || !carries(cluster, links[i], level))
      continue;
    const Bundle bundle = bundleOf(cluster, links[i]);
    const bool tapered = links[i].bandwidth == 0;
    taper *= tapered ? links[i].taper : 1;
    const double used = links[i].isDirect() ? pairsUsed(cluster, links[i], level, units)
                                            : static_cast<double>(bundle.links);
    const double share = tapered ? network / taper
                                 : static_cast<double>(links[i].bandwidth) * used /
                                       static_cast<double>(bundle.devices);
    // Bandwidths per device are whole bits/s, and a quotient may exceed them by a fraction.
    if (share + 1 < least)
      least = share, narrowest = i;
  }
  return narrowest;
}

std::vector<LinkLoad> dpl::cost::linkLoads(const Group& group, const Cluster& cluster) {
  std::vector<LinkLoad> loads;
  if (group.size == 1)
    return loads;
  loads.resize(cluster.network.links.size());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const LinkType& link = cluster.network.links[i];
    if (!there(cluster, i) || !uses(group, cluster, link))
      continue;
    if (!cluster.network.affinity.empty() &&
        (link.kind == LinkKind::Port || link.kind == LinkKind::Host)) {
      loads[i] = loadInNode(group, cluster, link);
      continue;
    }
    const std::uint64_t devices = bundleOf(cluster, link).devices;
    loads[i].ranks = mostInside(group.strides, devices);
    loads[i].groups = groupsInside(group.strides, devices);
  }
  return loads;
}

std::optional<std::uint64_t> dpl::cost::railsOf(const Group& group, const Cluster& cluster,
                                                std::size_t port) {
  constexpr std::uint64_t mostDevices = 1024;
  const std::uint64_t node = cluster.gpusPerNode;
  if (port >= group.loads.size() || group.loads[port].ranks == 0 || node > mostDevices)
    return std::nullopt;
  // Positions in their nodes of the ranks of a group that begins at the first position.
  std::vector<bool> places(node);
  places[0] = true;
  for (const Stride& s : group.strides) {
    const std::vector<bool> before = places;
    const std::uint64_t different = std::min(s.count, node / std::gcd(s.stride, node));
    for (std::uint64_t i = 1; i < different; ++i)
      for (std::uint64_t place = 0; place < node; ++place)
        if (before[place])
          places[(place + i * (s.stride % node)) % node] = true;
  }
  if (!cluster.network.affinity.empty()) {
    std::set<std::uint64_t> ports;
    for (std::uint64_t place = 0; place < node; ++place)
      if (places[place])
        ports.insert(cluster.network.portAt(place, cluster.network.links[port].count));
    return ports.size();
  }
  const Bundle bundle = bundleOf(cluster, cluster.network.links[port]);
  const auto step = static_cast<std::ptrdiff_t>(bundle.devices);
  std::uint64_t bundles = 0;
  for (auto first = places.begin(); first != places.end(); first += step)
    bundles += std::find(first, first + step, true) != first + step;
  return bundles * bundle.links;
}
