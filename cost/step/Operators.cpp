//===- Operators.cpp - The operators of the parts of a plan, for who asks for them ------------===//
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

double PartOperators::again(const OperatorCost& op, const ir::Recompute& recompute) const {
  return layer ? cost::shareAgain(op, recompute, recomputed) : 0;
}

double PartOperators::kept(const OperatorCost& op, const ir::Recompute& recompute) const {
  return cost::keptBy(op, layer ? recompute : ir::Recompute(), layer && recomputed);
}

std::vector<PartOperators> cost::operatorsOf(const ir::Plan& plan,
                                             const std::vector<std::vector<NamedPart>>& parts) {
  std::vector<PartOperators> out;
  llvm::StringSet<> known;
  const cost::ChunkEstimate estimate(plan);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const NamedPart& part : parts[i]) {
      PartOperators of;
      of.part = part.name;
      of.layer = part.part == ir::ComputePart::Layer, of.recomputed = part.recomputed;
      of.list = estimate.operators(part);
      if (of.list.empty() || !known.insert(part.name).second)
        continue;
      of.names = namesOf(of.list);
      const ir::HeldRanks& held = plan.mesh.held[plan.mesh.heldIndex(plan.chunks[i].rank)];
      of.classes = held.classes;
      of.devices = cost::pacingDevices(plan, held);
      out.push_back(std::move(of));
    }
  return out;
}

llvm::ArrayRef<OperatorPass> cost::operatorPasses() {
  static constexpr OperatorPass passes[] = {
      {"forward", cost::Direction::Forward},
      {"backward_input", cost::Direction::BackwardInput},
      {"backward_weight", cost::Direction::BackwardWeight},
  };
  return passes;
}

std::size_t cost::slowestFor(const PartOperators& of, const OperatorCost& op,
                             const OperatorPass& pass) {
  std::size_t slowest = 0;
  double longest = -1;
  for (std::size_t i = 0; i < of.devices.size(); ++i) {
    const double time = cost::operatorTime(op, pass.direction, of.devices[i]);
    if (time > longest)
      longest = time, slowest = i;
  }
  return slowest;
}
