//===- TakeDevices.cpp - The part of the cluster that a layout uses ---------------------------===//
#include "passes/TakeDevices.h"
#include "ir/Arithmetic.h"
#include "passes/Passes.h"
#include "passes/Words.h"
#include "support/diagnostics/Layout.h"
#include <algorithm>

using namespace dpl;

namespace {

std::uint64_t domainNodes(const ir::Cluster& cluster) {
  return cluster.network.units.front().nodes;
}

/// The number of nodes first … end − 1 that are among the selected ones of their domain.
std::uint64_t takenIn(std::uint64_t first, std::uint64_t end, std::uint64_t domain,
                      const SelectedDevices& t) {
  const auto before = [&](std::uint64_t node) {
    const std::uint64_t whole = std::min(node / domain, t.domains);
    return whole * t.nodes + (whole < t.domains ? std::min(node % domain, t.nodes) : 0);
  };
  return before(end) - before(first);
}

void cut(ir::Cluster& cluster, const SelectedDevices& t) {
  const std::uint64_t domain = domainNodes(cluster), gpus = cluster.gpusPerNode;
  std::vector<ir::NodeType> classes;
  std::uint64_t first = 0;
  std::optional<double> powers = 0, prices = 0; // totals over idle devices; none if a device has no
                                                // value
  const auto add = [](std::optional<double>& to, std::uint64_t idle, std::optional<double> each) {
    if (idle > 0)
      to = to && each ? std::optional(*to + ir::real(idle) * *each) : std::nullopt;
  };
  for (ir::NodeType& c : cluster.nodeTypes) {
    const std::uint64_t end = first + c.nodes, nodes = takenIn(first, end, domain, t);
    const std::uint64_t idle = c.nodes * gpus - nodes * t.gpus;
    cluster.idleDevices += idle;
    add(powers, idle, c.device.idlePower ? c.device.idlePower : c.device.busyPower);
    add(prices, idle, c.pricePerHour);
    c.nodes = nodes;
    first = end;
    if (nodes > 0)
      classes.push_back(std::move(c));
  }
  cluster.idlePower = powers;
  cluster.idlePricePerHour = prices;
  cluster.nodeTypes = std::move(classes);
  cluster.nodes = t.domains * t.nodes;
  cluster.gpusPerNode = t.gpus;
  // Units keep the number of their domains, each with the selected nodes.
  for (ir::UnitKind& unit : cluster.network.units)
    unit.nodes = unit.nodes / domain * t.nodes;
  cluster.levels = ir::linkLevels(cluster);
}

/// A text with the nearest possible numbers of devices: "the nearest numbers are 96 and 104".
std::string nearest(const ir::Cluster& cluster, std::uint64_t devices) {
  std::uint64_t below = devices, above = devices;
  while (below > 0 && !selectionOf(cluster, below))
    --below;
  while (above < cluster.devices() && !selectionOf(cluster, above))
    ++above;
  return selectionOf(cluster, above)
             ? fmt::format("the nearest numbers are {} and {}", below, above)
             : fmt::format("the nearest number is {}", below);
}

/// Takes the devices of the layout. Relies on: only the front end.
class TakeDevices final : public Pass {
public:
  llvm::StringRef name() const override { return "take-devices"; }
  LogicalResult run(ir::Plan& plan, DiagnosticEngine& diags) override {
    return takeDevices(plan, diags);
  }
};

} // namespace

std::optional<SelectedDevices> dpl::selectionOf(const ir::Cluster& cluster, std::uint64_t devices) {
  const std::uint64_t domain = domainNodes(cluster), gpus = cluster.gpusPerNode;
  SelectedDevices t;
  t.domains = ir::ceilDiv(devices, domain * gpus);
  if (devices % t.domains != 0)
    return std::nullopt;
  const std::uint64_t each = devices / t.domains;
  t.nodes = ir::ceilDiv(each, gpus);
  t.gpus = each / t.nodes;
  // On a torus the number of a device gives its place, so several nodes must be full.
  if (!cluster.network.torus.empty() && t.nodes > 1 && t.gpus != gpus)
    return std::nullopt;
  // The last domain of the cluster may have fewer nodes than the others.
  const bool there = (t.domains - 1) * domain + t.nodes <= cluster.nodes;
  return each % t.nodes == 0 && there ? std::optional(t) : std::nullopt;
}

LogicalResult dpl::takeDevices(ir::Plan& plan, DiagnosticEngine& diags) {
  const std::uint64_t wanted = plan.layout.devices, all = plan.cluster.devices();
  if (wanted == 0 || wanted == all)
    return LogicalResult::success();
  if (wanted > all)
    return withCluster(diags.report<diag::MoreDevicesThanCluster>(plan.layout.rangeOf("devices"),
                                                                  wanted, plan.cluster.name, all),
                       plan);
  const std::optional<SelectedDevices> taken = selectionOf(plan.cluster, wanted);
  if (!taken)
    return withCluster(
        diags
            .report<diag::DevicesUneven>(plan.layout.rangeOf("devices"), wanted,
                                         domainNodes(plan.cluster) == 1 ? "node" : "domain")
            .help(nearest(plan.cluster, wanted)),
        plan);
  cut(plan.cluster, *taken);
  return LogicalResult::success();
}

std::unique_ptr<Pass> dpl::createTakeDevicesPass() { return std::make_unique<TakeDevices>(); }
