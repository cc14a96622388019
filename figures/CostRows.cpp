//===- CostRows.cpp - Power and cost of devices by node type ----------------------------------===//
#include "figures/Rows.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;

namespace {
bool oneNodeType(const FigureContext& f) { return f.cluster.nodeTypes.size() == 1; }

bool pricesAlike(const FigureContext& f) {
  const auto& classes = f.cluster.nodeTypes;
  return std::all_of(classes.begin(), classes.end(), [&](const ir::NodeType& c) {
    return c.pricePerHour == classes.front().pricePerHour;
  });
}
/// Whether every device that runs has the cluster's price.
bool hasOnePrice(const FigureContext& f) {
  return pricesAlike(f) && f.cluster.nodeTypes.front().name.empty();
}
bool anyPrice(const FigureContext& f) {
  const auto& classes = f.cluster.nodeTypes;
  return std::any_of(classes.begin(), classes.end(),
                     [](const ir::NodeType& c) { return c.pricePerHour.has_value(); });
}
} // namespace

Traced figures::devicePrice(const FigureContext& f) {
  const ir::NodeType& c = f.cluster.nodeTypes[f.instance->index];
  if (hasOnePrice(f) || !c.pricePerHour)
    return FigureContext::none();
  const std::string own = fmt::format("cluster.node_pool[\"{}\"].price", c.name);
  return f.declared(*c.pricePerHour / 3600,
                    !c.name.empty() && f.isSet(own) ? own : "cluster.price");
}

Traced figures::clusterPrice(const FigureContext& f) {
  const ir::NodeType& first = f.cluster.nodeTypes.front();
  return first.name.empty() && first.pricePerHour
             ? f.declared(*first.pricePerHour / 3600, "cluster.price").because("price per device")
             : FigureContext::none();
}

Traced figures::meanPrice(const FigureContext& f) {
  return hasOnePrice(f) ? FigureContext::none() : overNodeTypes(f, "price") / f("cluster.devices");
}

Traced figures::priceOfAny(const FigureContext& f) {
  return f(hasOnePrice(f) ? "cluster.price" : "cluster.mean_price");
}

Traced figures::devicePowerIdle(const FigureContext& f) {
  const ir::Device& device = f.cluster.nodeTypes[f.instance->index].device;
  if (device.idlePower)
    return deviceFact(f, *device.idlePower, "power.idle", false);
  return device.busyPower ? deviceFact(f, *device.busyPower, "power.busy", true)
                          : FigureContext::none();
}

Traced figures::overNodeTypes(const FigureContext& f, const char* column) {
  Traced sum;
  for (std::size_t i = 0; i < f.cluster.nodeTypes.size(); ++i) {
    const Traced devices =
        f(oneNodeType(f) ? "cluster.devices" : fmt::format("node_type[{}].devices", i));
    const Traced all = devices * f(fmt::format("{}.{}", f.devicePath(i), column));
    if (!all.has())
      return FigureContext::none();
    sum = sum.has() ? sum + all : all;
  }
  return sum;
}

Traced figures::ofIdle(const FigureContext& f, std::optional<double> total, const Traced& each) {
  if (f.cluster.idleDevices == 0 || !total)
    return FigureContext::none();
  const Traced all = f("cluster.idle_devices") * each;
  const bool alike = all.has() && oneNodeType(f) && std::abs(all.value() - *total) <= 1e-9 * *total;
  return alike ? all : FigureContext::counted(*total);
}

Traced figures::costOfStep(const FigureContext& f) {
  Traced cost;
  if (anyPrice(f))
    cost = f.cluster.idleDevices > 0 ? f("cost.devices") + f("cost.idle") : f("cost.devices");
  if (anyPrice(f) && !cost.has())
    return cost; // some devices have no price, so the cost is unknown
  const Traced energy = f("cost.energy");
  if (f.cluster.energyPrice && !energy.has())
    return cost.because("cost without electricity, because the power of some devices is unknown");
  return !energy.has() ? cost : cost.has() ? cost + energy : energy;
}
