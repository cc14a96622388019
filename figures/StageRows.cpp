//===- StageRows.cpp - What is declared, and what stages and kinds of layers cost -------------===//
#include "figures/Rows.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
ir::DataType computeType(const Facts& f) { return f.layout.precision.compute; }

/// The faster of the two number formats in which layers and the head compute.
ir::DataType peakType(const Facts& f) {
  const ir::Precision& p = f.layout.precision;
  return f.device.peakOf(p.head) > f.device.peakOf(p.compute) ? p.head : p.compute;
}

/// Whether a device of every class has the same peak.
bool peaksAlike(const Facts& f) {
  const auto& classes = f.cluster.classes;
  return std::all_of(classes.begin(), classes.end(), [&](const ir::NodeClass& c) {
    return c.device.peakOf(peakType(f)) == f.device.peakOf(peakType(f));
  });
}

std::string dense(const Facts& f) { return std::string("dense, of ") + ir::name(peakType(f)); }

} // namespace

Traced figures::classDevices(const Facts& f) {
  const ir::NodeClass& c = f.cluster.classes[f.instance->index];
  return f.cluster.classes.size() == 1
             ? Facts::none()
             : f.declared(real(c.nodes * f.cluster.gpusPerNode), "cluster.nodes")
                   .because("of " + c.word() + " nodes");
}

Traced figures::devicePeak(const Facts& f) {
  if (peaksAlike(f)) {
    const char* type = ir::name(f.device.computesIn(peakType(f)));
    const std::string field = Facts::deviceField(f.cluster.classes.front());
    return f
        .declared(real(f.device.peakOf(peakType(f))), fmt::format("{}.peak[{}]", field, type),
                  f.device.name)
        .because(dense(f));
  }
  Sum sum;
  for (std::size_t i = 0; i < f.cluster.classes.size(); ++i)
    sum.plus(f(f.peakPath(i, peakType(f))) * f(fmt::format("node_type[{}].devices", i)));
  return (sum.all / f("cluster.devices")).because(dense(f) + ", the mean of all devices");
}

std::uint64_t figures::slowestMemory(const Facts& f) {
  const auto rate = [](const ir::Device& d) {
    return real(d.memoryBandwidth) * d.sustainedMemory * d.speed;
  };
  const ir::Mesh& mesh = f.plan.mesh;
  const std::vector<std::uint64_t>& held = mesh.held[mesh.heldIndex(f.times().rank)].classes;
  return *std::min_element(held.begin(), held.end(), [&](std::uint64_t a, std::uint64_t b) {
    return rate(f.cluster.classes[a].device) < rate(f.cluster.classes[b].device);
  });
}

Traced figures::microBatches(const Facts& f) {
  Traced replicas = f(f.list ? "samples_per_micro_batch" : "sequences_per_micro_batch");
  for (const ir::MeshAxis& axis : f.plan.mesh.axes)
    if (axis.axis == ir::Axis::Replica || axis.axis == ir::Axis::Data)
      if (axis.size > 1)
        replicas = replicas * f(Facts::axisPath(axis.axis));
  return f(f.list ? "samples_per_step" : "sequences_per_step") / replicas;
}

Traced figures::axisSize(const Facts& f) {
  const ir::MeshAxis& axis = f.plan.mesh.axes[f.instance->index];
  return f.plan.mesh.found
             ? Facts::counted(real(axis.size)).because("found by `mesh = auto`")
             : f.declared(real(axis.size), "layout." + f.instance->prefix).because("");
}

Traced figures::expertAxisSize(const Facts& f) {
  return f.declared(real(f.plan.mesh.expertAxes[f.instance->index].size),
                    "layout." + f.instance->prefix);
}

Traced figures::stageSum(const Facts& f, const char* column, double value) {
  Sum sum;
  for (const cost::NamedPart& part : f.parts()[f.instance->index])
    sum.plus(part.count, f(part.name + "." + column));
  return value > 0 && sum.all.has() ? sum.all.rounding(value) : Facts::none();
}

Traced figures::partOf(const Facts& f, double (*value)(const cost::ChunkPart&)) {
  const double of = value(f.parts()[f.instance->index][f.instance->inner]);
  return of == 0 ? Facts::none() : Facts::counted(of);
}

Traced figures::partTime(const Facts& f, const char* column,
                         double (*value)(const cost::ChunkPart&)) {
  const Traced time = partOf(f, value);
  if (!time.has())
    return time;
  if (f.depth == Depth::Operators) {
    const auto longer = [&](const std::string& of) {
      const Traced kernels = f.own(of + ".kernel_time"), host = f.own(of + ".launch_time");
      if (!host.has())
        return kernels;
      return f.layout.launchBlocking ? kernels + host : max(kernels, host);
    };
    if (!splitsBackward(f) || std::string_view(column) != "backward")
      return longer(column).rounding(time.value());
    Sum halves;
    for (const char* half : {"backward_input", "backward_weight"})
      if (const Traced of = longer(half); of.has())
        halves.plus(of);
    return halves.all.rounding(time.value());
  }
  const ir::Mesh& mesh = f.plan.mesh;
  const std::uint64_t held =
      mesh.held[mesh.heldIndex(f.plan.chunks[f.instance->index].rank)].classes.front();
  const std::string device = f.devicePath(held);
  const bool narrow = ir::bitsOf(computeType(f)) <= 8;
  return time.reading(f(f.peakPath(held, computeType(f))))
      .reading(f(device + (narrow ? ".sustained.low_precision" : ".sustained.matmul")))
      .reading(f(device + ".memory_bandwidth"));
}

Traced figures::partLaunchBound(const Facts& f, std::initializer_list<const char*> columns,
                                double (*value)(const cost::ChunkPart&)) {
  const Traced waits = partOf(f, value);
  if (!waits.has() || f.depth != Depth::Operators)
    return waits;
  Sum sum;
  for (const char* column : columns)
    if (const Traced kernels = f.own(std::string(column) + ".kernel_time"), whole = f.own(column);
        whole.has())
      sum.plus(kernels.has() ? whole - kernels : whole);
  return sum.all.has() ? sum.all.rounding(waits.value()) : waits;
}

Traced figures::stageLaunchBound(const Facts& f, const char* column) {
  Sum sum;
  for (const cost::NamedPart& part : f.parts()[f.instance->index])
    sum.plus(part.count, f(part.name + "." + column));
  return sum.all.has() ? sum.all : Facts::none();
}

Traced figures::stageWaits(const Facts& f, std::uint64_t cost::PassWaits::*pass) {
  return Facts::counted(ir::toSeconds(cost::passWaits(f.plan, f.instance->index).*pass));
}

Traced figures::stageExposed(const Facts& f) {
  const std::uint64_t exposed = cost::exposedInPasses(f.plan, f.instance->index);
  return exposed > 0 ? Facts::counted(ir::toSeconds(exposed)) : Facts::none();
}
