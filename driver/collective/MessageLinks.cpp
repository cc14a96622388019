//===- MessageLinks.cpp - The individual links of a cluster -----------------------------------===//
#include "driver/collective/MessageLinks.h"
#include "cost/collectives/CollectiveCost.h"
#include "ir/Names.h"

using namespace dpl;
using namespace dpl::score;

namespace {
/// The bandwidth per device of a level, as if its units had no oversubscription.
double untapered(const ir::LinkLevel& level) {
  return cost::sustainedBandwidth(level) * level.taper();
}
} // namespace

MessageLinks::MessageLinks(const ir::Cluster& of, const cost::GroupShape& shape, double parts)
    : cluster(of), shape(shape), parts(parts), direct(of.levels) {
  std::uint64_t nodes = 0;
  for (std::uint64_t c = 0; c < cluster.nodeTypes.size(); ++c) {
    levels.push_back(ir::linkLevels(cluster, c));
    for (ir::LinkLevel& level : levels.back())
      level.inStep = 1; // the collective has the links to itself
    nodes += cluster.nodeTypes[c].nodes;
    nodeTypeOf.resize(std::min<std::uint64_t>(nodes * cluster.gpusPerNode, ranks()),
                      static_cast<std::uint32_t>(c));
  }
  addDevices();
  if (shape.spannedLevel() > 0) {
    addPorts();
    addUnits();
  }
}

std::uint32_t MessageLinks::add(std::string name, llvm::ArrayRef<double> bytes) {
  const auto first = static_cast<std::uint32_t>(capacity.size());
  for (int direction = 0; direction < 2; ++direction)
    for (const double b : bytes)
      capacity.push_back(b / 1e12 / parts);
  all.push_back({std::move(name), first, static_cast<std::uint32_t>(2 * bytes.size())});
  return first;
}

void MessageLinks::addDevices() {
  if (shape.widthAt(0) < 2)
    return;
  std::vector<double> bytes;
  for (const std::uint32_t c : nodeTypeOf)
    bytes.push_back(cost::sustainedBandwidth(levels[c].front(), shape, 0));
  firstDevice = add("device", bytes);
}

void MessageLinks::addPorts() {
  const ir::Network& network = cluster.network;
  std::vector<double> bytes;
  std::size_t ofNode = 0; // number of the first port of the node
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    const std::uint64_t device = rank % cluster.gpusPerNode;
    if (device == 0)
      ofNode = bytes.size();
    const std::uint64_t count = std::min(
        network.links[cluster.nodeTypes[nodeTypeOf[rank]].ports].count, network.nodeDevices);
    const double sharing =
        network.affinity.empty()
            ? static_cast<double>(network.nodeDevices) / static_cast<double>(count)
            : static_cast<double>(network.mostPerPort(cluster.gpusPerNode, count));
    portOf.push_back(static_cast<std::uint32_t>(ofNode + network.portAt(device, count)));
    if (portOf.back() >= bytes.size())
      bytes.resize(portOf.back() + 1, untapered(levels[nodeTypeOf[rank]][1]) * sharing);
  }
  portCount = static_cast<std::uint32_t>(bytes.size());
  firstPort = add("port", bytes);
}

void MessageLinks::addUnits() {
  for (std::size_t l = 0; l < shape.spannedLevel(); ++l) {
    const std::uint64_t each = shape.inside[l];
    if (const std::uint64_t peers = direct.peers(l)) {
      const ir::LinkLevel& level = levels.front()[l + 1];
      // Units without ranks are included, because messages may cross them.
      const std::uint64_t outer = each * peers, units = (ranks() + outer - 1) / outer * peers;
      const std::vector<double> pairs(units * peers,
                                      untapered(level) * static_cast<double>(each) / level.pair);
      out.push_back({add(std::string("from a ") + ir::name(cluster.levels[l].level), pairs)});
      continue;
    }
    std::vector<double> bytes((ranks() + each - 1) / each, 0);
    for (std::uint32_t rank = 0; rank < ranks(); ++rank)
      bytes[rank / each] += cost::sustainedBandwidth(levels[nodeTypeOf[rank]][l + 1]);
    const ir::LinkLevel& beyond = cluster.levels[l + 1];
    const double share = cost::sustainedBandwidth(beyond) / beyond.inStep;
    const double port = untapered(cluster.levels[1]) / cluster.levels[1].inStep;
    out.push_back({add(std::string("out of a ") + ir::name(cluster.levels[l].level), bytes),
                   static_cast<std::uint32_t>(bytes.size()), share < port * (1 - 1e-9)});
  }
}

std::size_t MessageLinks::levelOf(std::uint32_t from, std::uint32_t to) const {
  std::size_t level = 0;
  while (from / shape.inside[level] != to / shape.inside[level])
    ++level;
  return level;
}

std::uint64_t MessageLinks::latency(std::uint32_t from, std::uint32_t to) const {
  const std::size_t level = levelOf(from, to);
  return std::max(levels[nodeTypeOf[from]][level].latency, levels[nodeTypeOf[to]][level].latency);
}

void MessageLinks::route(std::uint32_t from, std::uint32_t to, bool sideBySide,
                         simulate::FlowRoute& links) const {
  const std::size_t level = levelOf(from, to);
  if (level == 0) {
    links.append({firstDevice + from, firstDevice + ranks() + to});
    return;
  }
  if (!sideBySide)
    links.append({firstPort + portOf[from], firstPort + portCount + portOf[to]});
  for (const ir::DirectUnits::UnitHop& hop : direct.hops(from, to))
    links.push_back(out[hop.level].first +
                    static_cast<std::uint32_t>(hop.from * direct.peers(hop.level) +
                                               hop.to % direct.peers(hop.level)));
  for (std::size_t l = 0; l < level; ++l) {
    if (direct.peers(l) > 0)
      continue;
    const UnitPorts& units = out[l];
    const auto each = static_cast<std::uint32_t>(shape.inside[l]);
    if (sideBySide || units.limits)
      links.append({units.first + from / each, units.first + units.units + to / each});
  }
}
