//===- Facts.cpp - What the rows of Results.def are written in --------------------------------===//
#include "figures/Facts.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using ir::Axis;

Facts::Facts(const ir::Plan& plan, WhereSet where, Depth depth, Expressions& expressions, Read read)
    : plan(plan), model(plan.model), layout(plan.layout), cluster(plan.cluster),
      device(plan.cluster.device()), depth(depth), list(plan.model.isLayerList()),
      where(std::move(where)), expressions(expressions), read(std::move(read)) {}

Traced Facts::operator()(const std::string& path) const {
  const Figure* figure = read(path);
  return figure ? Traced(expressions, *figure) : Traced();
}

Traced Facts::declared(double value, const std::string& field, const std::string& source) const {
  const std::string place = where ? where(field) : "";
  return Traced::leaf(value, Provenance::Declared, place.empty() ? source : place);
}

Traced Facts::assumed(double value, const std::string& field, const std::string& source) const {
  const std::string place = where ? where(field) : "";
  return Traced::leaf(value, Provenance::Assumed, place.empty() ? source : place);
}

cost::Exposure& Facts::exposure() const {
  if (!exposureOnce)
    exposureOnce.emplace(plan);
  return *exposureOnce;
}

const cost::StepTimes& Facts::times() const {
  if (!stepTimesOnce)
    stepTimesOnce = cost::stepTimes(plan);
  return *stepTimesOnce;
}

std::string Facts::ofRank() const {
  return fmt::format(", of pipeline rank {}, which has the most to do", times().rank);
}

const std::vector<cost::Traffic>& Facts::traffic() const {
  if (!trafficOnce)
    trafficOnce = cost::trafficOf(plan, times().rank);
  return *trafficOnce;
}

const std::vector<std::vector<cost::NamedPart>>& Facts::parts() const {
  if (!partsOnce) {
    partsOnce.emplace();
    const cost::ChunkEstimate estimate(plan);
    for (const ir::Chunk& chunk : plan.chunks) {
      std::vector<cost::NamedPart>& named = partsOnce->emplace_back();
      for (const cost::ChunkPart& part : estimate.parts(chunk))
        named.push_back({part, estimate.nameOf(chunk, part)});
    }
  }
  return *partsOnce;
}

const std::vector<const ir::ChunkCost*>& Facts::costsOf(std::uint64_t rank) const {
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

const std::vector<cost::Holder>& Facts::holders() const {
  if (!holdersOnce)
    holdersOnce = cost::holdersOf(plan);
  return *holdersOnce;
}

const std::vector<cost::OffloadedBytes>& Facts::offloaded() const {
  if (!offloadedOnce)
    offloadedOnce =
        plan.memory.empty() ? std::vector<cost::OffloadedBytes>() : cost::offloadedOf(plan);
  return *offloadedOnce;
}

const std::vector<ir::ChunkCost>& Facts::costsAlone(std::uint64_t nodeClass) const {
  aloneOnce.resize(cluster.classes.size());
  std::vector<ir::ChunkCost>& costs = aloneOnce[nodeClass];
  if (costs.empty()) {
    const ir::HeldRanks all{0, plan.mesh.size(Axis::Pipeline), {nodeClass}};
    const cost::ChunkEstimate estimate(plan, all);
    for (const ir::Chunk& chunk : plan.chunks)
      costs.push_back(estimate.of(chunk));
  }
  return costs;
}

const std::vector<cost::PartOperators>& Facts::operators() const {
  if (!operatorsOnce)
    operatorsOnce = cost::operatorsOf(plan, parts());
  return *operatorsOnce;
}

const cost::PartOperators* Facts::operatorsOf(const std::string& part) const {
  const auto found = llvm::find_if(operators(), [&](const auto& p) { return p.part == part; });
  return found == operators().end() ? nullptr : &*found;
}

std::string Facts::devicePath(std::uint64_t nodeClass) const {
  return cluster.classes.size() == 1 ? "device" : fmt::format("node_type[{}]", nodeClass);
}

std::string Facts::peakPath(std::uint64_t nodeClass, ir::DataType type) const {
  const ir::Device& of = cluster.classes[nodeClass].device;
  const ir::DataType runs = of.computesIn(type);
  return cluster.classes.size() == 1 && runs == of.computesIn(layout.precision.compute)
             ? "device.peak"
             : fmt::format("{}.peak[{}]", devicePath(nodeClass), ir::name(runs));
}

std::string Facts::deviceField(const ir::NodeClass& c) {
  return c.name.empty() ? "cluster.node.gpu"
                        : fmt::format("cluster.node_pool[\"{}\"].node.gpu", c.name);
}

std::string Facts::stagePath(const ir::ChunkCost& cost) const {
  return layout.chunks > 1 ? fmt::format("stage[{}.{}]", cost.rank, cost.chunk)
                           : fmt::format("stage[{}]", cost.rank);
}

std::string Facts::axisPath(Axis axis) {
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

Traced Facts::over(const Traced& value, Axis axis) const {
  return plan.mesh.size(axis) == 1 ? value : value / (*this)(axisPath(axis));
}
