//===- Operators.cpp - The operators of the modules of a plan ---------------------------------===//
#include "cost/step/Operators.h"
#include "llvm/ADT/StringSet.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::cost;
using cost::OperatorCost;

namespace {
std::vector<std::string> namesOf(const std::vector<OperatorCost>& operators) {
  std::vector<std::string> names;
  llvm::StringSet<> known;
  for (const OperatorCost& op : operators) {
    const std::string wanted = *op.of ? fmt::format("{} {}", op.of, op.name) : op.name;
    std::string name = wanted;
    for (unsigned n = 2; !known.insert(name).second; ++n)
      name = fmt::format("{} {}", wanted, n);
    names.push_back(std::move(name));
  }
  return names;
}
} // namespace

double ModuleOperators::recomputedShare(const OperatorCost& op,
                                        const ir::Recompute& recompute) const {
  return layer ? cost::recomputedShare(op, recompute, recomputed) : 0;
}

double ModuleOperators::saved(const OperatorCost& op, const ir::Recompute& recompute) const {
  return cost::savedBy(op, layer ? recompute : ir::Recompute(), layer && recomputed);
}

double ModuleOperators::memoryBound(const ir::Recompute& recompute) const {
  double sum = 0;
  for (const OperatorCost& op : operators)
    for (const OperatorDirection& pass : operatorDirections()) {
      const ir::Device& device = devices[slowestFor(*this, op, pass)];
      const double executed = cost::executedOf(op, pass.direction, device);
      cost::Work work = cost::workOf(op, pass.direction);
      const double time = cost::operatorTime(op, work, executed, device);
      work.bytes = 0;
      if (time <= cost::operatorTime(op, work, executed, device))
        continue;
      const bool forward = pass.direction == cost::GradientDirection::Forward;
      sum += time * (1 + (forward ? recomputedShare(op, recompute) : 0));
    }
  return sum;
}

std::vector<ModuleOperators>
cost::operatorsOf(const ir::Plan& plan, const std::vector<std::vector<NamedModule>>& modules) {
  std::vector<ModuleOperators> out;
  llvm::StringSet<> known;
  const cost::ChunkEstimate estimate(plan);
  for (std::size_t i = 0; i < modules.size(); ++i)
    for (const NamedModule& module : modules[i]) {
      ModuleOperators of;
      of.module = module.name;
      of.layer = module.computeKind == ir::ComputeKind::Layer, of.recomputed = module.recomputed;
      of.operators = estimate.operators(module);
      if (of.operators.empty() || !known.insert(module.name).second)
        continue;
      of.names = namesOf(of.operators);
      const ir::RankNodeTypes& rankNodeTypes =
          plan.mesh.rankNodeTypes[plan.mesh.rankNodeTypesIndex(plan.chunks[i].rank)];
      of.nodeTypes = rankNodeTypes.nodeTypes;
      of.devices = cost::pacingDevices(plan, rankNodeTypes);
      out.push_back(std::move(of));
    }
  return out;
}

llvm::ArrayRef<OperatorDirection> cost::operatorDirections() {
  static constexpr OperatorDirection passes[] = {
      {"forward", cost::GradientDirection::Forward},
      {"backward_input", cost::GradientDirection::BackwardInput},
      {"backward_weight", cost::GradientDirection::BackwardWeight},
  };
  return passes;
}

std::size_t cost::slowestFor(const ModuleOperators& of, const OperatorCost& op,
                             const OperatorDirection& pass) {
  std::size_t slowest = 0;
  double longest = -1;
  for (std::size_t i = 0; i < of.devices.size(); ++i) {
    const double time = cost::operatorTime(op, pass.direction, of.devices[i]);
    if (time > longest)
      longest = time, slowest = i;
  }
  return slowest;
}
