//===- StageRows.cpp - What is declared, and what stages and kinds of layers cost -------------===//
#include "figures/Rows.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
ir::DataType computeType(const Facts& f) { return f.layout.precision.compute; }

/// Whether a device of every class has the same peak.
bool peaksAlike(const Facts& f) {
  const auto& classes = f.cluster.classes;
  return std::all_of(classes.begin(), classes.end(), [&](const ir::NodeClass& c) {
    return c.device.peakOf(computeType(f)) == f.device.peakOf(computeType(f));
  });
}

std::string dense(const Facts& f) { return std::string("dense, of ") + ir::name(computeType(f)); }

Traced declaredPeak(const Facts& f, const ir::Device& device) {
  const std::string field = fmt::format("cluster.node.gpu.peak[{}]", ir::name(computeType(f)));
  return f
      .declared(real(device.peakOf(computeType(f))), &device == &f.device ? field : "", device.name)
      .because(dense(f));
}
} // namespace

Traced figures::classPeak(const Facts& f) {
  return peaksAlike(f) ? Facts::none()
                       : declaredPeak(f, f.cluster.classes[f.instance->index].device);
}

Traced figures::classDevices(const Facts& f) {
  const ir::NodeClass& c = f.cluster.classes[f.instance->index];
  return peaksAlike(f) ? Facts::none()
                       : f.declared(real(c.nodes * f.cluster.gpusPerNode), "cluster.nodes")
                             .because("of " + c.word() + " nodes");
}

Traced figures::devicePeak(const Facts& f) {
  if (peaksAlike(f))
    return declaredPeak(f, f.device);
  Sum sum;
  for (std::size_t i = 0; i < f.cluster.classes.size(); ++i)
    sum.plus(f(fmt::format("class[{}].peak", i)) * f(fmt::format("class[{}].devices", i)));
  return (sum.all / f("cluster.devices")).because(dense(f) + ", the mean of all devices");
}

const ir::Device& figures::slowestMemory(const Facts& f) {
  const auto rate = [](const ir::Device& d) {
    return real(d.memoryBandwidth) * d.sustainedMemory * d.speed;
  };
  const ir::Device* slowest = nullptr;
  const ir::Mesh& mesh = f.plan.mesh;
  for (const std::uint64_t c : mesh.held[mesh.heldIndex(f.times().rank)].classes)
    if (const ir::Device& d = f.cluster.classes[c].device; !slowest || rate(d) < rate(*slowest))
      slowest = &d;
  return *slowest;
}

Traced figures::microBatches(const Facts& f) {
  Traced replicas = f(f.list ? "samples_per_pass" : "sequences_per_pass");
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
  for (const cost::ChunkPart& part : f.parts()[f.instance->index])
    sum.plus(part.count, f(part.name + "." + column));
  return value > 0 && sum.all.has() ? sum.all.rounding(value) : Facts::none();
}

Traced figures::partOf(const Facts& f, double (*value)(const cost::ChunkPart&)) {
  const double of = value(f.parts()[f.instance->index][f.instance->inner]);
  return of == 0 ? Facts::none() : Facts::counted(of);
}

Traced figures::partTime(const Facts& f, double (*value)(const cost::ChunkPart&)) {
  const Traced time = partOf(f, value);
  return time.has() ? time.reading(f("device.peak"))
                          .reading(f("device.sustained.matmul"))
                          .reading(f("device.memory_bandwidth"))
                    : time;
}

Traced figures::stageExposed(const Facts& f) {
  const ir::ChunkCost& cost = f.plan.costs[f.instance->index];
  const ir::ChunkProgram& program = f.plan.programs[f.instance->index];
  const std::uint64_t exposed = program.forward + program.backward - cost.forward -
                                cost.backwardInput - cost.backwardWeight - cost.recompute;
  return exposed > 0 ? Facts::counted(ir::toSeconds(exposed)) : Facts::none();
}
