//===- EnergyRows.cpp - What the devices of each class and pipeline rank take -----------------===//
#include "cost/step/ChunkRuns.h"
#include "figures/Rows.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
const cost::Holder& holder(const Facts& f) { return f.holders()[f.instance->index]; }

/// Whether all devices that hold the rank are of one class, so that its stages have their times.
bool holdsAlone(const Facts& f) {
  const ir::Mesh& mesh = f.plan.mesh;
  return mesh.held[mesh.heldIndex(holder(f).rank)].classes.size() == 1;
}

/// The column of the device of the holder's class.
Traced ofDevice(const Facts& f, const char* column) {
  return f(fmt::format("{}.{}", f.devicePath(holder(f).nodeClass), column));
}
} // namespace

Traced figures::holderDevices(const Facts& f) {
  if (!ofDevice(f, "power.busy").has())
    return Facts::none();
  Traced devices = Facts::counted(real(holder(f).devices));
  return devices.because(fmt::format("of {} nodes that hold pipeline rank {}",
                                     f.cluster.classes[holder(f).nodeClass].word(),
                                     holder(f).rank));
}

Traced figures::holderBusy(const Facts& f) {
  if (!ofDevice(f, "power.busy").has())
    return Facts::none();
  const std::uint64_t rank = holder(f).rank, nodeClass = holder(f).nodeClass;
  if (holdsAlone(f))
    return timeOfPasses(f, rank, {".forward", ".backward", ".recompute"});
  double busy = 0;
  for (const ir::ChunkCost& c : f.costsAlone(nodeClass))
    if (c.rank == rank)
      busy += cost::runsOf(f.plan, c) *
              ir::toSeconds(c.forward + c.backwardInput + c.backwardWeight + c.recompute);
  Traced time = Facts::counted(busy);
  for (const ir::ChunkCost* cost : f.costsOf(rank))
    for (const char* column : {".forward", ".backward", ".recompute"})
      time = time.reading(f(f.stagePath(*cost) + column));
  return time.because("passes of a step at the pace of such a device, which then waits for slower "
                      "ones of its rank");
}

Traced figures::holderEnergy(const Facts& f) {
  const Traced busy = f.own("busy");
  return f.own("devices") *
         (ofDevice(f, "power.busy") * busy + ofDevice(f, "power.idle") * (f("step_time") - busy));
}

Traced figures::classEnergy(const Facts& f) {
  Sum sum;
  for (std::size_t i = 0; i < f.holders().size(); ++i)
    if (f.holders()[i].nodeClass == f.instance->index)
      sum.plus(f(holderPath(f.holders()[i])));
  return sum.all;
}

Traced figures::devicesEnergy(const Facts& f) {
  Traced sum;
  const auto add = [&](const std::string& path) {
    const Traced part = f(path);
    sum = !part.has() || !sum.has() ? part : sum + part;
    return part.has();
  };
  if (f.cluster.classes.size() > 1) {
    for (std::size_t i = 0; i < f.cluster.classes.size(); ++i)
      if (!add(fmt::format("energy.node_type[{}]", i)))
        return Facts::none(); // nobody knows what its devices take
    return sum;
  }
  for (const cost::Holder& one : f.holders())
    if (!add(holderPath(one)))
      return Facts::none();
  return sum;
}

std::string figures::holderPath(const cost::Holder& of) {
  return fmt::format("energy.rank[{}].node_type[{}]", of.rank, of.nodeClass);
}
