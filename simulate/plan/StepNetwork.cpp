//===- StepNetwork.cpp - Message programs of the plan's collectives, and the links ------------===//
#include "simulate/plan/StepNetwork.h"
#include <map>
#include <tuple>

using namespace dpl;
using namespace dpl::simulation;

namespace {
std::uint32_t linkedDevices(const StepShape& shape) {
  return shape.detail == Detail::Folded ? shape.simulatedRanks()
                                        : static_cast<std::uint32_t>(shape.plan.mesh.devices);
}
/// Collectives with equal keys have equal message sequences.
auto keyOf(const ir::Collective& c) {
  // The point-to-point messages of each rank and chunk may use links of another level.
  const std::uint64_t place =
      c.kind == ir::CollectiveKind::SendReceive ? c.rank * 4096 + c.chunk : c.rank;
  return std::tuple(c.kind, c.purpose, c.group, place, c.bytes, c.algorithm, c.time);
}
} // namespace

StepNetwork::StepNetwork(const StepShape& shape, std::optional<std::uint64_t> seed)
    : links(shape.plan.cluster, linkedDevices(shape), seed), first(shape.plan.collectives.data()) {
  std::map<decltype(keyOf(shape.plan.collectives[0])),
           std::pair<const PreparedMessages*, const PreparedMessages*>>
      made;
  for (const ir::Collective& c : shape.plan.collectives) {
    auto [at, fresh] = made.try_emplace(keyOf(c));
    if (fresh) {
      cost::MessageSequence of = cost::messagesOf(shape.plan, c, seed.has_value());
      programs.emplace_back(cost::ofOneMember(of));
      at->second.second = at->second.first = &programs.back();
      if (shape.detail != Detail::Folded || c.kind == ir::CollectiveKind::SendReceive) {
        programs.emplace_back(std::move(of));
        at->second.first = &programs.back();
      }
    }
    whole.push_back(at->second.first);
    one.push_back(at->second.second);
  }
}

bool StepNetwork::folds(const ir::Plan& plan) {
  if (StepLinks(plan.cluster, static_cast<std::uint32_t>(plan.cluster.gpusPerNode), 1).joint())
    return false;
  std::map<decltype(keyOf(plan.collectives[0])), bool> uniform;
  for (const ir::Collective& c : plan.collectives) {
    if (c.kind == ir::CollectiveKind::SendReceive)
      continue;
    auto [at, fresh] = uniform.try_emplace(keyOf(c));
    if (fresh && !cost::messagesOf(plan, c, true).uniform)
      return false;
  }
  return true;
}
