//===- StageRows.cpp - Declared values, and costs of stages and layer types -------------------===//
#include "cost/step/StageWords.h"
#include "figures/Rows.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
ir::DataType computeType(const FigureContext& f) { return f.layout.precision.compute; }

ir::DataType peakType(const FigureContext& f) { return cost::peakType(f.plan); }

/// Whether all node types have the same peak rates.
bool peaksAlike(const FigureContext& f) {
  const auto& classes = f.cluster.nodeTypes;
  return std::all_of(classes.begin(), classes.end(), [&](const ir::NodeType& c) {
    return c.device.peakOf(peakType(f)) == f.device.peakOf(peakType(f));
  });
}

std::string dense(const FigureContext& f) {
  return std::string("dense peak in ") + ir::name(peakType(f));
}

} // namespace

Traced figures::nodeTypeDevices(const FigureContext& f) {
  const ir::NodeType& c = f.cluster.nodeTypes[f.instance->index];
  return f.cluster.nodeTypes.size() == 1
             ? FigureContext::none()
             : f.declared(real(c.nodes * f.cluster.gpusPerNode), "cluster.nodes")
                   .because("devices of " + c.displayName() + " nodes");
}

Traced figures::devicePeak(const FigureContext& f) {
  if (peaksAlike(f)) {
    const char* type = ir::name(f.device.computesIn(peakType(f)));
    const std::string field = FigureContext::deviceField(f.cluster.nodeTypes.front());
    return f
        .declared(real(f.device.peakOf(peakType(f))), fmt::format("{}.peak[{}]", field, type),
                  f.device.name)
        .because(dense(f));
  }
  TracedSum sum;
  for (std::size_t i = 0; i < f.cluster.nodeTypes.size(); ++i)
    sum.plus(f(f.peakPath(i, peakType(f))) * f(fmt::format("node_type[{}].devices", i)));
  return (sum.all / f("cluster.devices")).because(dense(f) + ", the mean of all devices");
}

std::uint64_t figures::slowestMemory(const FigureContext& f) {
  const auto rate = [](const ir::Device& d) {
    return real(d.memoryBandwidth) * d.sustainedMemory * d.speed;
  };
  const ir::Mesh& mesh = f.plan.mesh;
  const std::vector<std::uint64_t>& held =
      mesh.rankNodeTypes[mesh.rankNodeTypesIndex(f.times().rank)].nodeTypes;
  return *std::min_element(held.begin(), held.end(), [&](std::uint64_t a, std::uint64_t b) {
    return rate(f.cluster.nodeTypes[a].device) < rate(f.cluster.nodeTypes[b].device);
  });
}

Traced figures::microBatches(const FigureContext& f) {
  Traced replicas = f(f.isLayerList ? "samples_per_micro_batch" : "sequences_per_micro_batch");
  for (const ir::MeshAxis& axis : f.plan.mesh.axes)
    if (axis.axis == ir::Axis::Replica || axis.axis == ir::Axis::Data)
      if (axis.size > 1)
        replicas = replicas * f(FigureContext::axisPath(axis.axis));
  return f(f.isLayerList ? "samples_per_step" : "sequences_per_step") / replicas;
}

Traced figures::axisSize(const FigureContext& f) {
  const ir::MeshAxis& axis = f.plan.mesh.axes[f.instance->index];
  return f.plan.mesh.found
             ? FigureContext::counted(real(axis.size)).because("found by `mesh = auto`")
             : f.declared(real(axis.size), "layout." + f.instance->prefix).because("");
}

Traced figures::expertAxisSize(const FigureContext& f) {
  return f.declared(real(f.plan.mesh.expertAxes[f.instance->index].size),
                    "layout." + f.instance->prefix);
}

Traced figures::stageSum(const FigureContext& f, const char* column, double value) {
  TracedSum sum;
  for (const cost::NamedModule& module : f.modules()[f.instance->index])
    sum.plus(module.count, f(module.name + "." + column));
  return value > 0 && sum.all.has() ? sum.all.rounding(value) : FigureContext::none();
}

Traced figures::moduleFigure(const FigureContext& f, double (*value)(const cost::ChunkModule&)) {
  const double of = value(f.modules()[f.instance->index][f.instance->inner]);
  return of == 0 ? FigureContext::none() : FigureContext::counted(of);
}

Traced figures::moduleTime(const FigureContext& f, const char* column,
                           double (*value)(const cost::ChunkModule&)) {
  const Traced time = moduleFigure(f, value);
  if (!time.has())
    return time;
  if (f.depth == Depth::Operators) {
    const auto longer = [&](const std::string& of) {
      const Traced kernels = f.ofInstance(of + ".kernel_time"),
                   host = f.ofInstance(of + ".launch_time");
      if (!host.has())
        return kernels;
      return f.layout.launchBlocking ? kernels + host : max(kernels, host);
    };
    if (!splitsBackward(f) || std::string_view(column) != "backward")
      return longer(column).rounding(time.value());
    TracedSum halves;
    for (const char* half : {"backward_input", "backward_weight"})
      if (const Traced of = longer(half); of.has())
        halves.plus(of);
    return halves.all.rounding(time.value());
  }
  const ir::Mesh& mesh = f.plan.mesh;
  const std::uint64_t held =
      mesh.rankNodeTypes[mesh.rankNodeTypesIndex(f.plan.chunks[f.instance->index].rank)]
          .nodeTypes.front();
  const std::string device = f.devicePath(held);
  const bool narrow = ir::bitsOf(computeType(f)) <= 8;
  return time.reading(f(f.peakPath(held, computeType(f))))
      .reading(f(device + (narrow ? ".sustained.low_precision" : ".sustained.matmul")))
      .reading(f(device + ".memory_bandwidth"));
}

Traced figures::moduleLaunchBound(const FigureContext& f,
                                  std::initializer_list<const char*> columns,
                                  double (*value)(const cost::ChunkModule&)) {
  const Traced waits = moduleFigure(f, value);
  if (!waits.has() || f.depth != Depth::Operators)
    return waits;
  TracedSum sum;
  for (const char* column : columns)
    if (const Traced kernels = f.ofInstance(std::string(column) + ".kernel_time"),
        whole = f.ofInstance(column);
        whole.has())
      sum.plus(kernels.has() ? whole - kernels : whole);
  return sum.all.has() ? sum.all.rounding(waits.value()) : waits;
}

Traced figures::stageLaunchBound(const FigureContext& f, const char* column) {
  TracedSum sum;
  for (const cost::NamedModule& module : f.modules()[f.instance->index])
    sum.plus(module.count, f(module.name + "." + column));
  return sum.all.has() ? sum.all : FigureContext::none();
}

Traced figures::stageWaits(const FigureContext& f, std::uint64_t cost::ActionWaits::*pass) {
  return FigureContext::counted(
      ir::toSeconds(cost::actionWaits(f.plan, ir::ChunkId(f.instance->index)).*pass));
}

Traced figures::stageExposed(const FigureContext& f) {
  const std::uint64_t exposed = cost::exposedInActions(f.plan, ir::ChunkId(f.instance->index));
  return exposed > 0 ? FigureContext::counted(ir::toSeconds(exposed)) : FigureContext::none();
}
