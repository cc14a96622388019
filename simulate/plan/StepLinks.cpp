//===- StepLinks.cpp - The links that the messages of a step share ----------------------------===//
#include "simulate/plan/StepLinks.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "ir/Uplinks.h"
#include "support/math/Random.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::simulation;
using ir::real;

namespace {
/// The rate of a device's large messages on the links of a level, in bits/s.
double rateOf(const ir::LinkLevel& level) {
  return real(level.bandwidth) * level.efficiency * level.inStep / level.taper();
}

/// Offset of the random numbers, which separates them from those of devices (offset 0).
constexpr std::uint32_t ofWays = std::uint32_t{1} << 29;
} // namespace

StepLinks::StepLinks(const ir::Cluster& cluster, std::uint32_t devices,
                     std::optional<std::uint64_t> ofFlows)
    : count(devices), seed(ofFlows), direct(cluster.levels) {
  const llvm::ArrayRef<ir::LinkLevel> levels = cluster.levels;
  for (const ir::LinkLevel& level : levels)
    scale.push_back(level.isScaleUp()
                        ? 1
                        : std::min(1.0, rateOf(level) / (rateOf(levels[1]) * levels[1].taper())));
  tapers.resize(levels.size());
  add("device", std::vector<double>(count, 1.0), 1, 0);
  if (levels.size() < 2)
    return;
  // Devices and ports of a node are numbered in the order of the file.
  const std::uint64_t inNode = cluster.gpusPerNode, stated = cluster.network.nodeDevices;
  std::uint64_t ports = stated;
  for (const ir::NodeType& nodes : cluster.nodeTypes)
    ports = std::min(ports, cluster.network.links[nodes.ports].count);
  std::uint32_t used = 0;
  for (std::uint32_t device = 0; device < count; ++device) {
    const std::uint64_t node = device / inNode,
                        port = cluster.network.portAt(device % inNode, ports);
    portOf.push_back(static_cast<std::uint32_t>(node * ports + port));
    used = std::max(used, portOf.back() + 1);
  }
  if (cluster.network.affinity.empty()) {
    const double sharing = real(stated) / real(ports);
    add("port", std::vector<double>(used, sharing),
        ports < stated ? (stated + ports - 1) / ports : 1, 1);
  } else {
    addAffinity(cluster, used, ports);
  }
  addUnits(cluster);
}

void StepLinks::addUnits(const ir::Cluster& cluster) {
  const llvm::ArrayRef<ir::LinkLevel> levels = cluster.levels;
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    const double share = scale[l + 1];
    const bool tapered = share < 1 - 1e-9;
    const std::uint64_t inside = levels[l].devices, peers = direct.peers(l);
    if (peers > 0) {
      // The links of units without any of these devices are included, because messages may cross
      // them.
      const std::uint64_t units = ir::ceilDiv(count, inside * peers) * peers;
      add(std::string("from a ") + ir::name(levels[l].level),
          std::vector<double>(units * peers, real(inside) / levels[l + 1].pair), inside, l + 1,
          static_cast<std::uint32_t>(peers));
      all.back().direct = true;
    } else {
      const auto uplinks = static_cast<std::uint32_t>(seed ? ir::uplinksOutOf(cluster, l) : 1);
      if (!tapered && uplinks == 1)
        continue;
      std::vector<double> capacities;
      for (std::uint64_t first = 0; first < count; first += inside)
        capacities.insert(capacities.end(), uplinks,
                          share * real(std::min<std::uint64_t>(inside, count - first)) / uplinks);
      add(std::string("out of a ") + ir::name(levels[l].level), capacities, inside, l + 1, uplinks);
    }
    if (tapered)
      tapers[l + 1] = all.size() - 1;
  }
}

/// Adds ports by NIC affinity, and the host link of devices that reach their port across the host.
void StepLinks::addAffinity(const ir::Cluster& cluster, std::uint32_t used, std::uint64_t ports) {
  const ir::Network& network = cluster.network;
  const auto times = [&](const ir::LinkType& link) { // relative to a device's bandwidth
    return real(link.bandwidth) / real(cluster.levels[1].bandwidth);
  };
  // Uses the fastest port, as the link levels do. The plan's times already account for slower ones.
  const ir::LinkType* fastest = network.find(ir::LinkKind::Port);
  for (const ir::NodeType& nodes : cluster.nodeTypes)
    if (const ir::LinkType& own = network.links[nodes.ports]; own.bandwidth > fastest->bandwidth)
      fastest = &own;
  add("port", std::vector<double>(used, times(*fastest)),
      network.mostPerPort(cluster.gpusPerNode, ports), 1);
  const std::uint64_t crossing = network.displaced(cluster.gpusPerNode, ports);
  if (crossing == 0)
    return;
  const auto inNode = static_cast<std::uint32_t>(cluster.gpusPerNode);
  for (std::uint32_t device = 0; device < count; ++device) {
    const std::uint64_t place = device % inNode;
    const bool crosses = network.portAt(place, ports) != place * ports / network.nodeDevices;
    hostOf.push_back(crosses ? device / inNode : none);
  }
  add("host",
      std::vector<double>((count + inNode - 1) / inNode, times(*network.find(ir::LinkKind::Host))),
      crossing, 1);
}

void StepLinks::add(std::string name, llvm::ArrayRef<double> capacities, std::uint64_t devices,
                    std::size_t level, std::uint32_t each) {
  all.push_back({std::move(name), static_cast<std::uint32_t>(capacity.size()),
                 static_cast<std::uint32_t>(capacities.size()) / each, each, devices, level});
  for (int direction = 0; direction < 2; ++direction)
    capacity.insert(capacity.end(), capacities.begin(), capacities.end());
  several = several || devices > 1 || all.size() > 2;
}

std::size_t StepLinks::linkTypeOf(std::uint32_t link) const {
  std::size_t of = all.size() - 1;
  while (all[of].first > link)
    --of;
  return of;
}

std::string StepLinks::nameOf(std::uint32_t link) const {
  const LinkTypeRange& of = all[linkTypeOf(link)];
  const std::uint32_t within = link - of.first, unit = within % of.count() / of.each;
  const char* direction = within < of.count() ? "out" : "in";
  if (of.direct)
    return fmt::format("{} {} to {}", of.name.substr(std::string("from a ").size()), unit,
                       unit / of.each * of.each + within % of.each);
  if (of.level > 1 || of.name.rfind("out of", 0) == 0)
    return fmt::format("{}{} {}, {}",
                       of.each > 1 ? fmt::format("uplink {} of ", within % of.each) : "",
                       of.name.substr(std::string("out of a ").size()), unit, direction);
  if (of.devices == 1)
    return fmt::format("{} of rank {}, {}", of.name, unit, direction);
  return fmt::format("{} {}, {}", of.name, unit, direction);
}

void StepLinks::route(std::uint32_t from, std::uint32_t to, std::size_t level,
                      LinkRoute& links) const {
  if (level == 0) {
    links.append({all[0].first + from, all[0].first + all[0].units + to});
    return;
  }
  const LinkTypeRange& ports = all[1];
  links.append({ports.first + portOf[from], ports.first + ports.units + portOf[to]});
  const bool crosses = !hostOf.empty();
  if (crosses) {
    const LinkTypeRange& host = all[2];
    if (hostOf[from] != none)
      links.push_back(host.first + hostOf[from]);
    if (hostOf[to] != none)
      links.push_back(host.first + host.units + hostOf[to]);
  }
  for (const LinkTypeRange& of : llvm::makeArrayRef(all).drop_front(crosses ? 3 : 2)) {
    if (of.direct)
      continue;
    const auto a = static_cast<std::uint32_t>(from / of.devices),
               b = static_cast<std::uint32_t>(to / of.devices);
    if (of.level > level || a == b)
      continue;
    // A flow uses the same uplink out of one unit and into the other, because both lead to one
    // switch.
    std::uint32_t way = 0;
    if (of.each > 1)
      way =
          simulate::Draws({*seed, ofWays + static_cast<std::uint32_t>(of.level), from, to}).next() %
          of.each;
    links.append({of.first + a * of.each + way, of.first + of.count() + b * of.each + way});
  }
  for (const ir::DirectUnits::UnitHop& hop : direct.hops(from, to))
    for (const LinkTypeRange& of : all)
      if (of.direct && of.level == hop.level + 1)
        links.push_back(of.first + static_cast<std::uint32_t>(hop.from) * of.each +
                        static_cast<std::uint32_t>(hop.to) % of.each);
}
