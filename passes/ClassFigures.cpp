//===- ClassFigures.cpp - Figures of clusters whose nodes differ ------------------------------===//
#include "ir/Arithmetic.h"
#include "passes/FigureFormula.h"
#include "passes/StepFigures.h"

using namespace dpl;
using namespace dpl::ir;

namespace {
/// "class[1].devices", made once.
std::string devicesPath(Plan& plan, std::size_t i) {
  std::string path = fmt::format("class[{}].devices", i);
  plan.results.add({path,
                    real(plan.cluster.classes[i].nodes * plan.cluster.gpusPerNode),
                    "",
                    "",
                    {},
                    Provenance::Declared,
                    plan.file,
                    "of " + plan.cluster.classes[i].word() + " nodes"});
  return path;
}
} // namespace

double dpl::addPeakFigures(Plan& plan) {
  const DataType type = plan.layout.precision.compute;
  const std::string note = std::string("dense, of ") + ir::name(type);
  const auto declared = [&](std::string path, const Device& device) {
    const double peak = real(device.peakOf(type));
    plan.results.add(
        {std::move(path), peak, "FlopRate", "", {}, Provenance::Declared, device.name, note});
    return peak;
  };
  const std::vector<NodeClass>& classes = plan.cluster.classes;
  const bool alike = std::all_of(classes.begin(), classes.end(), [&](const NodeClass& c) {
    return c.device.peakOf(type) == plan.cluster.device().peakOf(type);
  });
  if (alike)
    return declared("device.peak", plan.cluster.device());
  FigureFormula sum;
  double all = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::string path = fmt::format("class[{}].peak", i);
    all += real(classes[i].nodes * plan.cluster.gpusPerNode) * declared(path, classes[i].device);
    sum.plus(path);
    sum.times(devicesPath(plan, i));
  }
  sum.parentheses();
  sum.text += " / " + sum.use("cluster.devices");
  const double mean = all / real(plan.cluster.devices());
  addFigure(plan.results, "device.peak", mean, "FlopRate", std::move(sum),
            note + ", the mean of all devices");
  return mean;
}

const Device& dpl::slowestMemory(const Plan& plan, std::uint64_t pipelineRank) {
  const auto rate = [](const Device& d) {
    return real(d.memoryBandwidth) * d.sustainedMemory * d.speed;
  };
  const Device* slowest = nullptr;
  for (const std::uint64_t c : plan.mesh.held[plan.mesh.heldIndex(pipelineRank)].classes)
    if (const Device& d = plan.cluster.classes[c].device; !slowest || rate(d) < rate(*slowest))
      slowest = &d;
  return *slowest;
}
