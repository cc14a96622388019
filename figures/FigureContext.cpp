//===- FigureContext.cpp - The context in which the rows of Results.def are evaluated ---------===//
#include "figures/FigureContext.h"
#include "cost/step/StageWords.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using ir::Axis;

FigureContext::FigureContext(const ir::Plan& plan, FieldLocator where, Depth depth,
                             FormulaTrees& expressions, FigureReader read)
    : plan(plan), model(plan.model), layout(plan.layout), cluster(plan.cluster),
      device(plan.cluster.device()), depth(depth), isLayerList(plan.model.isLayerList()),
      where(std::move(where)), expressions(expressions), read(std::move(read)) {}

Traced FigureContext::operator()(const std::string& path) const {
  const Figure* figure = read(path);
  return figure ? Traced(expressions, *figure) : Traced();
}

Traced FigureContext::declared(double value, const std::string& field,
                               const std::string& source) const {
  const std::string place = where ? where(field) : "";
  return Traced::leaf(value, Provenance::Declared, place.empty() ? source : place);
}

Traced FigureContext::assumed(double value, const std::string& field,
                              const std::string& source) const {
  const std::string place = where ? where(field) : "";
  return Traced::leaf(value, Provenance::Assumed, place.empty() ? source : place);
}

cost::Exposure& FigureContext::exposure() const {
  if (!exposureOnce)
    exposureOnce.emplace(plan);
  return *exposureOnce;
}

const ir::StepResult& FigureContext::times() const {
  if (plan.step)
    return *plan.step;
  if (!stepOnce)
    stepOnce = cost::stepTimes(plan);
  return *stepOnce;
}

std::string FigureContext::busiestRankNote() const {
  const std::string slow = cost::slowDevicesOf(plan, times().rank);
  return fmt::format(", on pipeline rank {}, which {}", times().rank,
                     slow.empty() ? "has the most work" : "takes longest, on " + slow);
}

const std::vector<cost::Traffic>& FigureContext::traffic() const {
  if (!trafficOnce)
    trafficOnce = cost::trafficOf(plan, times().rank);
  return *trafficOnce;
}

const std::vector<std::vector<cost::NamedModule>>& FigureContext::modules() const {
  if (!modulesOnce) {
    modulesOnce.emplace();
    const cost::ChunkEstimate estimate(plan);
    for (const ir::Chunk& chunk : plan.chunks) {
      std::vector<cost::NamedModule>& named = modulesOnce->emplace_back();
      for (const cost::ChunkModule& module : estimate.modules(chunk))
        named.push_back({module, estimate.nameOf(chunk, module)});
    }
  }
  return *modulesOnce;
}

const std::vector<const ir::ChunkCost*>& FigureContext::costsOf(std::uint64_t rank) const {
  if (!costsOnce) {
    costsOnce.emplace();
    for (const ir::ChunkCost& cost : plan.costs) {
      costsOnce->resize(std::max<std::size_t>(costsOnce->size(), cost.rank + 1));
      (*costsOnce)[cost.rank].push_back(&cost);
    }
  }
  static const std::vector<const ir::ChunkCost*> none;
  return rank < costsOnce->size() ? (*costsOnce)[rank] : none;
}

const std::vector<cost::RankDevices>& FigureContext::rankDevices() const {
  if (!rankDevicesOnce)
    rankDevicesOnce = cost::rankDevicesOf(plan);
  return *rankDevicesOnce;
}

const std::vector<cost::OffloadedBytes>& FigureContext::offloaded() const {
  if (!offloadedOnce)
    offloadedOnce =
        plan.memory.empty() ? std::vector<cost::OffloadedBytes>() : cost::offloadedOf(plan);
  return *offloadedOnce;
}

const std::vector<ir::ChunkCost>& FigureContext::costsAlone(std::uint64_t nodeType) const {
  aloneOnce.resize(cluster.nodeTypes.size());
  std::vector<ir::ChunkCost>& costs = aloneOnce[nodeType];
  if (costs.empty()) {
    const ir::RankNodeTypes all{0, plan.mesh.size(Axis::Pipeline), {nodeType}};
    const cost::ChunkEstimate estimate(plan, all);
    for (const ir::Chunk& chunk : plan.chunks)
      costs.push_back(estimate.of(chunk));
  }
  return costs;
}

const std::vector<cost::ModuleOperators>& FigureContext::operators() const {
  if (!operatorsOnce)
    operatorsOnce = cost::operatorsOf(plan, modules());
  return *operatorsOnce;
}

const cost::ModuleOperators* FigureContext::operatorsOf(const std::string& part) const {
  const auto found = llvm::find_if(operators(), [&](const auto& p) { return p.module == part; });
  return found == operators().end() ? nullptr : &*found;
}

std::string FigureContext::devicePath(std::uint64_t nodeType) const {
  return cluster.nodeTypes.size() == 1 ? "device" : fmt::format("node_type[{}]", nodeType);
}

std::string FigureContext::peakPath(std::uint64_t nodeType, ir::DataType type) const {
  const ir::Device& of = cluster.nodeTypes[nodeType].device;
  const ir::DataType runs = of.computesIn(type);
  return cluster.nodeTypes.size() == 1 && runs == of.computesIn(layout.precision.compute)
             ? "device.peak"
             : fmt::format("{}.peak[{}]", devicePath(nodeType), ir::name(runs));
}

std::string FigureContext::deviceField(const ir::NodeType& c) {
  return c.name.empty() ? "cluster.node.gpu"
                        : fmt::format("cluster.node_pool[\"{}\"].node.gpu", c.name);
}

std::string FigureContext::stagePath(const ir::ChunkCost& cost) const {
  return layout.chunks > 1 ? fmt::format("stage[{}.{}]", cost.rank, cost.chunk)
                           : fmt::format("stage[{}]", cost.rank);
}

std::string FigureContext::axisPath(Axis axis) {
  switch (axis) {
  case Axis::ExpertData:
    return "mesh.experts.data";
  case Axis::Expert:
    return "mesh.experts.expert";
  case Axis::ExpertTensor:
    return "mesh.experts.tensor";
  default:
    return std::string("mesh.") + ir::name(axis);
  }
}

Traced FigureContext::over(const Traced& value, Axis axis) const {
  return plan.mesh.size(axis) == 1 ? value : value / (*this)(axisPath(axis));
}
