//===- EnergyRows.cpp - Energy of devices by node type and pipeline rank ----------------------===//
#include "cost/step/ChunkRuns.h"
#include "cost/step/Timeline.h"
#include "figures/Rows.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
const cost::RankDevices& devicesOfInstance(const FigureContext& f) {
  return f.rankDevices()[f.instance->index];
}

/// Whether all devices of the rank have one type. Then the times of its stages are those of this
/// type.
bool oneNodeType(const FigureContext& f) {
  const ir::Mesh& mesh = f.plan.mesh;
  return mesh.rankNodeTypes[mesh.rankNodeTypesIndex(devicesOfInstance(f).rank)].nodeTypes.size() ==
         1;
}

/// A figure of the device of the instance's node type, by its column.
Traced ofDevice(const FigureContext& f, const char* column) {
  return f(fmt::format("{}.{}", f.devicePath(devicesOfInstance(f).nodeType), column));
}

Traced withSlowdown(const FigureContext& f, Traced busy) {
  const double lost = cost::overlapDelay(f.plan, devicesOfInstance(f).rank);
  return lost == 0 ? busy
                   : busy + FigureContext::counted(lost).because(
                                "delay of kernels by collectives that they overlap with");
}
} // namespace

Traced figures::rankDeviceCount(const FigureContext& f) {
  if (!ofDevice(f, "power.busy").has())
    return FigureContext::none();
  Traced devices = FigureContext::counted(real(devicesOfInstance(f).devices));
  return devices.because(fmt::format(
      "devices of {} nodes that hold pipeline rank {}",
      f.cluster.nodeTypes[devicesOfInstance(f).nodeType].displayName(), devicesOfInstance(f).rank));
}

Traced figures::rankDevicesBusy(const FigureContext& f) {
  if (!ofDevice(f, "power.busy").has())
    return FigureContext::none();
  const std::uint64_t rank = devicesOfInstance(f).rank, nodeType = devicesOfInstance(f).nodeType;
  if (oneNodeType(f))
    return withSlowdown(f, timeOfActions(f, rank, {".forward", ".backward", ".recompute"}));
  double busy = 0;
  for (const ir::ChunkCost& c : f.costsAlone(nodeType))
    if (c.rank == rank)
      busy += cost::runsOf(f.plan, c) *
              ir::toSeconds(c.forward + c.backwardInput + c.backwardWeight + c.recompute);
  Traced time = FigureContext::counted(busy);
  for (const ir::ChunkCost* cost : f.costsOf(rank))
    for (const char* column : {".forward", ".backward", ".recompute"})
      time = time.reading(f(f.stagePath(*cost) + column));
  return withSlowdown(f, time.because("computation time of a step on such a device, which then "
                                      "waits for slower devices of its rank"));
}

Traced figures::rankDevicesEnergy(const FigureContext& f) {
  const Traced busy = f.ofInstance("busy");
  return f.ofInstance("devices") *
         (ofDevice(f, "power.busy") * busy + ofDevice(f, "power.idle") * (f("step_time") - busy));
}

Traced figures::nodeTypeEnergy(const FigureContext& f) {
  TracedSum sum;
  for (std::size_t i = 0; i < f.rankDevices().size(); ++i)
    if (f.rankDevices()[i].nodeType == f.instance->index)
      sum.plus(f(rankDevicesPath(f.rankDevices()[i])));
  return sum.all;
}

Traced figures::devicesEnergy(const FigureContext& f) {
  Traced sum;
  const auto add = [&](const std::string& path) {
    const Traced part = f(path);
    sum = !part.has() || !sum.has() ? part : sum + part;
    return part.has();
  };
  if (f.cluster.nodeTypes.size() > 1) {
    for (std::size_t i = 0; i < f.cluster.nodeTypes.size(); ++i)
      if (!add(fmt::format("energy.node_type[{}]", i)))
        return FigureContext::none(); // the power of its devices is unknown
    return sum;
  }
  for (const cost::RankDevices& one : f.rankDevices())
    if (!add(rankDevicesPath(one)))
      return FigureContext::none();
  return sum;
}

std::string figures::rankDevicesPath(const cost::RankDevices& of) {
  return fmt::format("energy.rank[{}].node_type[{}]", of.rank, of.nodeType);
}
