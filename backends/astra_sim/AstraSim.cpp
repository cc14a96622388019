//===- AstraSim.cpp - One step as traces for ASTRA-sim, with its network ----------------------===//
//
// The files are for github.com/astra-sim/astra-sim (518bd513, analytical backends): a Chakra trace
// per device, the process groups, the network as a grid, and ASTRA-sim's settings.
#include "backends/Target.h"
#include "backends/astra_sim/RankNodes.h"
#include "cost/step/StepTimes.h"
#include "cost/step/Timeline.h"
#include "ir/Names.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <memory>

using namespace dpl;

namespace dpl::astra_sim {
namespace rule {
#define DPL_RULES "backends/astra_sim/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace rule

namespace {
/// Above `mostInside` nodes each action becomes a single node. Above `mostOperations` nodes even
/// then, the plan is refused.
constexpr double mostInside = 4e6, mostOperations = 1e7;

/// A dimension of the network: `count` units of the dimension before it, joined by a switch.
struct NetworkDimension {
  const ir::LinkLevel* level;
  std::uint64_t count;
};
/// The dimensions of the network, innermost first.
struct Grid {
  std::vector<NetworkDimension> dimensions;
  /// If a level has an incomplete unit: devices per unit of the level below, and the level that
  /// joins these units. Otherwise 0.
  std::uint64_t broken = 0;
  ir::Level joinedBy = ir::Level::Node;
};
Grid gridOf(const ir::Plan& plan) {
  Grid out;
  std::uint64_t inside = 1;
  for (const ir::LinkLevel& level : plan.cluster.levels) {
    const std::uint64_t devices = std::min(level.devices, plan.mesh.devices);
    if (devices <= inside)
      continue;
    if (devices % inside != 0) {
      out.broken = inside, out.joinedBy = level.level;
      return out;
    }
    out.dimensions.push_back({&level, devices / inside});
    inside = devices;
  }
  return out;
}

double devicesOfRank(const ir::Plan& plan) {
  return static_cast<double>(plan.mesh.devices) / static_cast<double>(plan.schedule.size());
}
bool writesWholeActions(const ir::Plan& plan) {
  return static_cast<double>(cost::countSegments(plan)) * devicesOfRank(plan) > mostInside;
}
/// The number of nodes of all traces if each action has three: one for itself, a receive and a
/// send.
double leastOperations(const ir::Plan& plan) {
  double all = 0;
  for (const ir::RankSchedule& rank : plan.schedule)
    all += 3 * static_cast<double>(rank.actions.size());
  return all * devicesOfRank(plan);
}

void check(const TargetRequest& request, Findings& findings) {
  const ir::Plan& plan = request.plan;
  if (!cost::endsWithFlush(plan.layout)) {
    findings.report<rule::Schedule>("schedule", ir::name(plan.layout.schedule));
    return;
  }
  if (const Grid grid = gridOf(plan); grid.broken > 0)
    findings.report<rule::UnsupportedNetwork>("mesh", plan.mesh.devices, grid.broken,
                                              ir::name(grid.joinedBy));
  for (const ir::Torus& torus : plan.cluster.network.torus)
    findings.report<rule::UnsupportedTorus>("mesh", torus.sizes.size());
  for (const ir::LinkType& link : plan.cluster.network.links)
    if (link.isDirect())
      findings.report<rule::DirectLinks>("mesh", ir::name(link.kind));
  if (const double all = leastOperations(plan); all > mostOperations)
    findings.report<rule::Size>("batch", all, mostOperations);
}

/// Numbers of the process groups, counted from 1, because 0 means all devices in ASTRA-sim's files.
class GroupNumbers {
public:
  std::uint64_t numberOf(const ir::Group& group, std::uint64_t device) {
    std::vector<std::uint64_t> members = group.members(device);
    llvm::sort(members);
    return numbers.emplace(std::move(members), numbers.size() + 1).first->second;
  }
  std::string text() const {
    std::vector<const std::vector<std::uint64_t>*> byNumber(numbers.size());
    for (const auto& [members, number] : numbers)
      byNumber[number - 1] = &members;
    Json all = Json::object();
    for (std::size_t i = 0; i < byNumber.size(); ++i)
      all[std::to_string(i + 1)] = *byNumber[i];
    return all.dump() + "\n";
  }

private:
  std::map<std::vector<std::uint64_t>, std::uint64_t> numbers;
};

std::string network(const TargetRequest& request) {
  // In ASTRA-sim's network a GB is 2^30 bytes (common/NetworkFunction.cpp of
  // astra-network-analytical).
  constexpr double bitsOfGigabyte = 8.0 * (1 << 30);
  std::string names, counts, bandwidths, latencies;
  const auto append = [](std::string& list, const std::string& value) {
    list += (list.empty() ? "" : ", ") + value;
  };
  for (const NetworkDimension& d : gridOf(request.plan).dimensions) {
    const ir::LinkLevel& level = *d.level;
    append(names, "Switch");
    append(counts, std::to_string(d.count));
    append(bandwidths,
           fmt::format("{:.6f}", static_cast<double>(level.bandwidth) * level.efficiency /
                                     level.taper() / bitsOfGigabyte));
    // A message passes two links of a switch, each of which has this latency.
    append(latencies, fmt::format("{:.3f}", static_cast<double>(level.latency) / 2000));
  }
  return headerOf(request) +
         fmt::format("topology: [ {} ]\nnpus_count: [ {} ]\nbandwidth: [ {} ]  # 2^30 B/s\n"
                     "latency: [ {} ]  # ns\n",
                     names, counts, bandwidths, latencies);
}

std::string settings(const TargetRequest& request) {
  const ir::Plan& plan = request.plan;
  const std::vector<std::string> ring(gridOf(plan).dimensions.size(), "ring");
  const Json json{{"scheduling-policy", "FIFO"},
                  {"endpoint-delay", 0},
                  {"active-chunks-per-dimension", 1},
                  {"preferred-dataset-splits", 1},
                  {"all-reduce-implementation", ring},
                  {"all-gather-implementation", ring},
                  {"reduce-scatter-implementation", ring},
                  {"all-to-all-implementation", ring},
                  {"collective-optimization", "baseline"},
                  {"local-mem-bw", plan.cluster.device().memoryBandwidth / 8'000'000'000},
                  {"roofline-enabled", 0},
                  {"boost-mode", 0}};
  return json.dump(2) + "\n";
}

constexpr const char* commandTemplate = R"sh(#!/bin/sh
{header}#
# ASTRA_SIM: its program AstraSim_Analytical_Congestion_Unaware.
{passes}
set -eu
: "${{ASTRA_SIM:?is not set}}"
cd -- "$(dirname -- "$0")"
exec "$ASTRA_SIM" --workload-configuration=trace --comm-group-configuration=groups.json \
  --system-configuration=system.json --network-configuration=network.yml \
  --remote-memory-configuration=memory.json "$@"
)sh";

std::vector<EmittedFile> render(const TargetRequest& request) {
  const ir::Plan& plan = request.plan;
  const bool wholePasses = writesWholeActions(plan);
  std::vector<EmittedFile> files;
  GroupNumbers groups;
  const ir::MeshAxis* pipeline = plan.mesh.find(ir::Axis::Pipeline);
  const std::uint64_t stride = pipeline ? pipeline->stride : 1,
                      ranks = pipeline ? pipeline->size : 1;
  // Devices of a pipeline rank share their nodes. A trace is encoded when it is written.
  const auto nodes = std::make_shared<std::vector<std::vector<TraceNode>>>();
  for (std::uint64_t rank = 0; rank < ranks; ++rank)
    nodes->push_back(nodesOf(plan, rank, wholePasses));
  for (std::uint64_t device = 0; device < plan.mesh.devices; ++device) {
    const std::uint64_t rank = device / stride % ranks;
    TraceDevice of{device, device - rank * stride, stride, {}};
    of.groups.assign(plan.groups.size(), 0);
    for (const TraceNode& node : (*nodes)[rank])
      if (node.type == TraceNodeType::Collective && of.groups[node.group] == 0)
        of.groups[node.group] = groups.numberOf(plan.groups[node.group], device);
    files.push_back({fmt::format("trace.{}.et", device), "", false,
                     [nodes, rank, of] { return encoded((*nodes)[rank], of); }});
  }
  files.push_back({"groups.json", groups.text(), false});
  files.push_back({"network.yml", network(request), false});
  files.push_back({"system.json", settings(request), false});
  files.push_back({"memory.json", "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}\n", false});
  files.push_back(
      {"run.sh",
       fmt::format(fmt::runtime(commandTemplate), fmt::arg("header", headerOf(request)),
                   fmt::arg("passes", wholePasses
                                          ? "# Passes are whole: with what is inside them the "
                                            "traces would be too long.\n"
                                          : "")),
       true});
  return files;
}
} // namespace

extern const Target target;
const Target target{"astra-sim", "ASTRA-sim", "one step as Chakra traces, with network and groups",
                    {},          rule::all,   check,
                    render};
} // namespace dpl::astra_sim
