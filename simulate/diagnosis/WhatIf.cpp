//===- WhatIf.cpp - The step on a machine with one property changed ---------------------------===//
#include "simulate/diagnosis/WhatIf.h"
#include "cost/step/StepTimes.h"
#include "ir/Arithmetic.h"
#include "passes/Passes.h"
#include "planner/Neighbourhood.h"
#include <algorithm>
#include <array>
#include <cmath>

using namespace dpl;
using namespace dpl::diagnosis;
using namespace dpl::ir;

namespace {
template <class Number> void scale(Number& n, double factor) {
  n = static_cast<Number>(std::llround(real(n) * factor));
}

template <class Change> void eachDevice(Plan& plan, Change change) {
  for (NodeType& nodes : plan.cluster.nodeTypes)
    change(nodes.device);
}

/// Scales the rate of all links of the given kinds. If a link has no rate, its oversubscription is
/// scaled.
template <std::size_t N>
void scaleLinks(Plan& plan, double factor, const std::array<LinkKind, N>& kinds) {
  for (LinkType& link : plan.cluster.network.links)
    if (llvm::is_contained(kinds, link.kind)) {
      if (link.bandwidth > 0)
        scale(link.bandwidth, factor);
      else
        link.taper /= factor;
    }
  plan.cluster.levels = linkLevels(plan.cluster);
}
template <LinkKind... Kinds> void scaleLinks(Plan& plan, double factor) {
  scaleLinks(plan, factor, std::array{Kinds...});
}
template <LinkKind... Kinds> bool hasLinks(const Plan& plan) {
  return ((plan.cluster.network.find(Kinds) != nullptr) || ...);
}
bool always(const Plan&) { return true; }

/// A property of the machine. More of it makes the machine better, or worse if it is a latency or
/// the time of a launch.
struct Property {
  const char *key, *words;
  bool (*present)(const Plan& plan);
  void (*scale)(Plan& plan, double factor);
};

constexpr Property properties[] = {
    {"flops", "FLOP/s", always,
     [](Plan& p, double factor) {
       eachDevice(p, [&](Device& device) {
         for (auto& [type, peak] : device.peak)
           scale(peak, factor);
       });
     }},
    {"memory_bandwidth", "memory bandwidth", always,
     [](Plan& p, double factor) {
       eachDevice(p, [&](Device& device) { scale(device.memoryBandwidth, factor); });
     }},
    {"launch_time", "launch time of a kernel", always,
     [](Plan& p, double factor) {
       eachDevice(p, [&](Device& device) { scale(device.launch, factor); });
     }},
    {"memory", "memory", always,
     [](Plan& p, double factor) {
       eachDevice(p, [&](Device& device) { scale(device.memory, factor); });
     }},
    {"scale_up_bandwidth", "links inside a domain", hasLinks<LinkKind::ScaleUp>,
     scaleLinks<LinkKind::ScaleUp>},
    {"port_bandwidth", "links from a node to the network",
     hasLinks<LinkKind::Port, LinkKind::Network>, scaleLinks<LinkKind::Port, LinkKind::Network>},
    {"host_bandwidth", "links inside a node to its ports", hasLinks<LinkKind::Host>,
     scaleLinks<LinkKind::Host>},
    {"leaf_bandwidth", "links out of a leaf", hasLinks<LinkKind::Leaf>, scaleLinks<LinkKind::Leaf>},
    {"pod_bandwidth", "links out of a pod", hasLinks<LinkKind::Pod>, scaleLinks<LinkKind::Pod>},
    {"spine_bandwidth", "links of the spine", hasLinks<LinkKind::Spine>,
     scaleLinks<LinkKind::Spine>},
    {"site_bandwidth", "links out of a site", hasLinks<LinkKind::Site>, scaleLinks<LinkKind::Site>},
    {"latency", "latency of all links", always,
     [](Plan& p, double factor) {
       for (LinkType& link : p.cluster.network.links)
         scale(link.latency, factor);
       p.cluster.levels = linkLevels(p.cluster);
     }},
};

/// The step time of a plan that has not been compiled, and whether it fits. None if the passes
/// refuse the plan.
std::optional<ChangedMachine> machineOf(Plan changed, double value) {
  DiagnosticEngine silent;
  if (runThrough(changed, silent, "schedule-pipeline").failed())
    return std::nullopt;
  const std::unique_ptr<Pass> memory = createCheckMemoryPass();
  memory->configure(withoutAdvice());
  const bool fits = memory->run(changed, silent).succeeded();
  return ChangedMachine{value, cost::stepTimes(changed).step, fits};
}

/// The plan with another number of data ranks and nodes. None if the ranks do not fill whole nodes.
std::optional<Plan> withDataRanks(const Plan& plan, const Plan& restated, std::uint64_t ranks) {
  const std::uint64_t now = plan.mesh.size(Axis::Data);
  Plan out = restated;
  Cluster& cluster = out.cluster;
  for (NodeType& nodes : cluster.nodeTypes) {
    if (nodes.nodes * ranks % now != 0)
      return std::nullopt;
    nodes.nodes = nodes.nodes * ranks / now;
  }
  cluster.nodes = cluster.nodes * ranks / now;
  cluster.levels = linkLevels(cluster);
  if (out.layout.devices > 0)
    out.layout.devices = cluster.devices();
  planner::setDegree(out.layout.mesh.axes, Axis::Data, ranks);
  if (out.layout.mesh.hasExperts) {
    const std::uint64_t grid = plan.mesh.size(Axis::Expert) * plan.mesh.size(Axis::ExpertTensor),
                        devices =
                            ranks * plan.mesh.size(Axis::Context) * plan.mesh.size(Axis::Tensor);
    if (devices % grid != 0)
      return std::nullopt;
    planner::setDegree(out.layout.mesh.experts, Axis::ExpertData, devices / grid);
  }
  return out;
}

/// The step on fewer or more devices: the next number of data ranks that the passes accept. The
/// global batch stays the same.
std::optional<ChangedMachine> nextDevices(const Plan& plan, const Plan& restated, bool more) {
  const std::uint64_t now = plan.mesh.size(Axis::Data), most = 2 * now;
  for (std::uint64_t ranks = more ? now + 1 : now - 1; ranks > 0 && ranks <= most;
       ranks += more ? 1 : -1)
    if (plan.layout.batch % (plan.layout.microBatch * plan.mesh.size(Axis::Replica) * ranks) == 0)
      if (const std::optional<Plan> changed = withDataRanks(plan, restated, ranks))
        if (const auto found = machineOf(*changed, real(changed->cluster.devices())))
          return found;
  return std::nullopt;
}

/// The largest relative change of the step by less or more of a property.
double effectOf(const Sensitivity& row, double step) {
  double most = 0;
  for (const std::optional<ChangedMachine>* side : {&row.less, &row.more})
    if (*side)
      most = std::max(most, std::abs((*side)->step / step - 1));
  return most;
}
} // namespace

SensitivityTable diagnosis::sensitivitiesOf(const Plan& plan) {
  SensitivityTable table;
  table.step = plan.step->step;
  const Plan restated = planner::restated(plan);
  for (const Property& property : properties) {
    if (!property.present(plan))
      continue;
    Sensitivity row{property.key, property.words, false, {}, {}};
    for (const double factor : {1 - sensitivityShare, 1 + sensitivityShare}) {
      Plan changed = restated;
      property.scale(changed, factor);
      (factor < 1 ? row.less : row.more) = machineOf(std::move(changed), factor);
    }
    if (row.less || row.more)
      table.rows.push_back(std::move(row));
  }
  Sensitivity devices{"devices", "devices", true, nextDevices(plan, restated, false),
                      nextDevices(plan, restated, true)};
  if (devices.less || devices.more)
    table.rows.push_back(std::move(devices));
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [&](const Sensitivity& a, const Sensitivity& b) {
                     return effectOf(a, table.step) > effectOf(b, table.step);
                   });
  return table;
}
