//===- CostRows.cpp - What devices take and cost, by class of nodes ---------------------------===//
#include "figures/Rows.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;

namespace {
bool oneClass(const Facts& f) { return f.cluster.classes.size() == 1; }

bool pricesAlike(const Facts& f) {
  const auto& classes = f.cluster.classes;
  return std::all_of(classes.begin(), classes.end(), [&](const ir::NodeClass& c) {
    return c.pricePerHour == classes.front().pricePerHour;
  });
}
/// Whether every device that runs has the price that the cluster says.
bool hasOnePrice(const Facts& f) {
  return pricesAlike(f) && f.cluster.classes.front().name.empty();
}
bool anyPrice(const Facts& f) {
  const auto& classes = f.cluster.classes;
  return std::any_of(classes.begin(), classes.end(),
                     [](const ir::NodeClass& c) { return c.pricePerHour.has_value(); });
}
} // namespace

Traced figures::devicePrice(const Facts& f) {
  const ir::NodeClass& c = f.cluster.classes[f.instance->index];
  if (hasOnePrice(f) || !c.pricePerHour)
    return Facts::none();
  const std::string own = fmt::format("cluster.node_pool[\"{}\"].price", c.name);
  return f.declared(*c.pricePerHour / 3600,
                    !c.name.empty() && f.isSet(own) ? own : "cluster.price");
}

Traced figures::clusterPrice(const Facts& f) {
  const ir::NodeClass& first = f.cluster.classes.front();
  return first.name.empty() && first.pricePerHour
             ? f.declared(*first.pricePerHour / 3600, "cluster.price").because("a device")
             : Facts::none();
}

Traced figures::meanPrice(const Facts& f) {
  return hasOnePrice(f) ? Facts::none() : overClasses(f, "price") / f("cluster.devices");
}

Traced figures::priceOfAny(const Facts& f) {
  return f(hasOnePrice(f) ? "cluster.price" : "cluster.mean_price");
}

Traced figures::devicePowerIdle(const Facts& f) {
  const ir::Device& device = f.cluster.classes[f.instance->index].device;
  if (device.idlePower)
    return deviceFact(f, *device.idlePower, "power.idle", false);
  return device.busyPower ? deviceFact(f, *device.busyPower, "power.busy", true) : Facts::none();
}

Traced figures::overClasses(const Facts& f, const char* column) {
  Traced sum;
  for (std::size_t i = 0; i < f.cluster.classes.size(); ++i) {
    const Traced devices =
        f(oneClass(f) ? "cluster.devices" : fmt::format("node_type[{}].devices", i));
    const Traced all = devices * f(fmt::format("{}.{}", f.devicePath(i), column));
    if (!all.has())
      return Facts::none();
    sum = sum.has() ? sum + all : all;
  }
  return sum;
}

Traced figures::ofIdle(const Facts& f, std::optional<double> total, const Traced& each) {
  if (f.cluster.idleDevices == 0 || !total)
    return Facts::none();
  const Traced all = f("cluster.idle_devices") * each;
  const bool alike = all.has() && oneClass(f) && std::abs(all.value() - *total) <= 1e-9 * *total;
  return alike ? all : Facts::counted(*total);
}

Traced figures::costOfStep(const Facts& f) {
  Traced cost;
  if (anyPrice(f))
    cost = f.cluster.idleDevices > 0 ? f("cost.devices") + f("cost.idle") : f("cost.devices");
  if (anyPrice(f) && !cost.has())
    return cost; // not every device has a price
  const Traced energy = f("cost.energy");
  if (f.cluster.energyPrice && !energy.has())
    return cost.because("without energy, because not every device has its power");
  return !energy.has() ? cost : cost.has() ? cost + energy : energy;
}
