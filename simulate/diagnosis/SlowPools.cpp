//===- SlowPools.cpp - Node pools with slower fields than other nodes -------------------------===//
#include "simulate/diagnosis/SlowPools.h"
#include "backends/report/Format.h"
#include "ir/Arithmetic.h"
#include "planner/Trial.h"
#include "simulate/diagnosis/Causes.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::diagnosis;
using namespace dpl::ir;

namespace {
/// Sets each field of `best` to the better value of both devices. Rates include the factor `speed`.
void assignBest(Device& best, const Device& of) {
  const double by = of.speed / best.speed;
  const auto most = [](auto& own, auto other) { own = std::max(own, other); };
  const auto least = [](auto& own, auto other) { own = std::min(own, other); };
  const auto rate = [&](std::uint64_t& own, std::uint64_t other) {
    most(own, static_cast<std::uint64_t>(real(other) * by + 0.5));
  };
  for (const auto& [type, peak] : of.peak)
    rate(best.peak[type], peak);
  rate(best.memoryBandwidth, of.memoryBandwidth);
  for (double Device::*share :
       {&Device::sustainedMatmul, &Device::sustainedAttention, &Device::sustainedMemory,
        &Device::sustainedLowPrecision, &Device::sustainedFp8Gradients})
    most(best.*share, of.*share);
  least(best.efficiencyHalfSize, of.efficiencyHalfSize), least(best.contention, of.contention);
  least(best.launch, of.launch), least(best.launchBlocks, of.launchBlocks);
  for (std::size_t i = 0; i < std::min(best.hostLink.size(), of.hostLink.size()); ++i)
    most(best.hostLink[i].bandwidth, of.hostLink[i].bandwidth),
        most(best.hostLink[i].memory, of.hostLink[i].memory);
}

std::string perSecond(double bits) { return fmt::format("{:.4g}GB/s", bits / 8e9); }
std::string number(double value) { return fmt::format("{:.4g}", value); }
std::string duration(double ps) { return report::duration(ps * picosecond); }

/// A field in which devices may differ, with functions that read the field and copy it from another
/// device.
struct DeviceField {
  const char* path;
  double (*value)(const Device& device);
  bool less; ///< whether smaller values are faster
  void (*assign)(Device& into, const Device& from);
  std::string (*text)(double value);
};

double hostOf(const Device& d, std::uint64_t HostLink::*field) {
  return d.hostLink.empty() ? 0 : real(d.hostLink.front().*field);
}
void assignHost(Device& into, const Device& from, std::uint64_t HostLink::*field) {
  if (!into.hostLink.empty() && !from.hostLink.empty())
    into.hostLink.front().*field = from.hostLink.front().*field;
}

#define FIELD(PATH, MEMBER, LESS, TEXT)                                                            \
  {                                                                                                \
    PATH, [](const Device& d) { return static_cast<double>(d.MEMBER); }, LESS,                     \
        [](Device& into, const Device& from) { into.MEMBER = from.MEMBER; }, TEXT                  \
  }
#define HOST(PATH, MEMBER)                                                                         \
  {                                                                                                \
    PATH, [](const Device& d) { return hostOf(d, &HostLink::MEMBER); }, false,                     \
        [](Device& into, const Device& from) { assignHost(into, from, &HostLink::MEMBER); },       \
        perSecond                                                                                  \
  }
const DeviceField deviceFields[] = {
    FIELD("node.gpu.speed", speed, false, number),
    FIELD("node.gpu.memory_bandwidth", memoryBandwidth, false, perSecond),
    FIELD("node.gpu.sustained.matmul", sustainedMatmul, false, number),
    FIELD("node.gpu.sustained.low_precision", sustainedLowPrecision, false, number),
    FIELD("node.gpu.sustained.fp8_gradients", sustainedFp8Gradients, false, number),
    FIELD("node.gpu.sustained.attention", sustainedAttention, false, number),
    FIELD("node.gpu.sustained.memory", sustainedMemory, false, number),
    FIELD("node.gpu.sustained.efficiency_half_size", efficiencyHalfSize, true, number),
    FIELD("node.gpu.sustained.contention", contention, true, number),
    FIELD("node.gpu.launch_overhead", launch, true, duration),
    HOST("node.gpu.host.link_bandwidth", bandwidth),
    HOST("node.gpu.host.memory_bandwidth", memory),
    {"node.gpu.peak",
     [](const Device& d) {
       double most = 0;
       for (const auto& [type, peak] : d.peak)
         most = std::max(most, real(peak));
       return most;
     },
     false, [](Device& into, const Device& from) { into.peak = from.peak; },
     [](double flop) { return fmt::format("{:.4g}TFLOPS", flop / 1e12); }},
};
#undef FIELD
#undef HOST

/// A field in which the ports of nodes may differ, with the same functions.
struct PortField {
  const char* path;
  double (*value)(const LinkType& port);
  bool less;
  void (*assign)(LinkType& into, const LinkType& from);
  std::string (*text)(double value);
};
const PortField portFields[] = {
    {"nic.bandwidth", [](const LinkType& l) { return real(l.bandwidth); }, false,
     [](LinkType& into, const LinkType& from) { into.bandwidth = from.bandwidth; }, perSecond},
    {"nic.count", [](const LinkType& l) { return real(l.count); }, false,
     [](LinkType& into, const LinkType& from) { into.count = from.count; },
     [](double count) { return fmt::format("{:g} a node", count); }},
    {"nic.latency", [](const LinkType& l) { return real(l.latency); }, true,
     [](LinkType& into, const LinkType& from) { into.latency = from.latency; }, duration}};

class SlowPoolSearch {
public:
  SlowPoolSearch(const Plan& plan, llvm::function_ref<double(const Plan&)> stepOf)
      : plan(plan), stepOf(stepOf), best(restated(plan)) {
    equalizeToFastest(best);
  }

  std::optional<SlowPool> run() {
    Plan all = best;
    if (!planner::firstErrorOf(all).empty())
      return std::nullopt;
    shortest = stepOf(all);
    std::uint64_t firstNode = 0;
    for (std::size_t i = 0; i < plan.cluster.nodeTypes.size(); ++i) {
      const NodeType& nodes = plan.cluster.nodeTypes[i];
      place.name = nodes.name;
      place.pool =
          nodes.name.empty() ? "the other nodes" : fmt::format("`node_pool[\"{}\"]`", nodes.name);
      place.firstNode = firstNode, place.nodes = nodes.nodes;
      firstNode += nodes.nodes;
      for (const DeviceField& field : deviceFields)
        tryDevice(i, field);
      for (const PortField& field : portFields)
        tryPort(i, field);
    }
    return found;
  }

private:
  template <class Field> static bool slower(const Field& field, double own, double others) {
    return field.less ? own > others : own < others;
  }

  void tryDevice(std::size_t i, const DeviceField& field) {
    const Device& own = plan.cluster.nodeTypes[i].device;
    double most = field.value(own);
    for (const NodeType& other : plan.cluster.nodeTypes)
      most = field.less ? std::min(most, field.value(other.device))
                        : std::max(most, field.value(other.device));
    if (!slower(field, field.value(own), most))
      return;
    Plan with = best;
    field.assign(with.cluster.nodeTypes[i].device, own);
    weigh(std::move(with), field.path, field.text(field.value(own)), field.text(most));
  }

  void tryPort(std::size_t i, const PortField& field) {
    const LinkType& own = plan.cluster.network.links[plan.cluster.nodeTypes[i].ports];
    Plan with = best;
    Network& network = with.cluster.network;
    LinkType port = network.links[with.cluster.nodeTypes[i].ports];
    const double most = field.value(port);
    if (!slower(field, field.value(own), most))
      return;
    field.assign(port, own), port.pool = plan.cluster.nodeTypes[i].name;
    with.cluster.nodeTypes[i].ports = network.links.size();
    network.links.push_back(std::move(port));
    with.cluster.levels = linkLevels(with.cluster);
    weigh(std::move(with), field.path, field.text(field.value(own)), field.text(most));
  }

  void weigh(Plan with, const char* field, std::string value, std::string most) {
    if (!planner::firstErrorOf(with).empty())
      return;
    const double costs = stepOf(with) / shortest - 1;
    if (costs <= 0 || (found && costs <= found->costs))
      return;
    found = place;
    found->field = field, found->value = std::move(value), found->best = std::move(most);
    found->costs = costs;
  }

  const Plan& plan;
  llvm::function_ref<double(const Plan&)> stepOf;
  Plan best;
  double shortest = 0; ///< shortest step so far, in ps
  SlowPool place;
  std::optional<SlowPool> found;
};
} // namespace

/// The result does not depend on the order of node pools.
void diagnosis::equalizeToFastest(Plan& plan) {
  std::vector<NodeType>& all = plan.cluster.nodeTypes;
  std::vector<LinkType>& links = plan.cluster.network.links;
  Device best = std::max_element(all.begin(), all.end(), [](const NodeType& a, const NodeType& b) {
                  return a.device.speed < b.device.speed;
                })->device;
  std::uint64_t ports = all.front().ports, latency = UINT64_MAX;
  const auto carries = [](const LinkType& port) {
    return real(port.count) * real(port.bandwidth) * port.efficiency;
  };
  for (const NodeType& nodes : all) {
    assignBest(best, nodes.device);
    latency = std::min(latency, links[nodes.ports].latency);
    if (carries(links[nodes.ports]) > carries(links[ports]))
      ports = nodes.ports;
  }
  links[ports].latency = latency;
  for (NodeType& nodes : all) {
    // Each device keeps its name and its memory, so that the same layout fits.
    best.name = nodes.device.name, best.memory = nodes.device.memory;
    best.reserved = nodes.device.reserved, best.workspace = nodes.device.workspace;
    nodes.device = best, nodes.ports = ports;
  }
  plan.cluster.levels = linkLevels(plan.cluster);
}

std::optional<SlowPool> diagnosis::slowestPool(const Plan& plan,
                                               llvm::function_ref<double(const Plan&)> stepOf) {
  return SlowPoolSearch(plan, stepOf).run();
}
