#pragma once
//===- BusiestLoads.h - Drawn expert loads that simulations of similar plans share ------------===//
//
// The load of the busiest rank of experts depends on the seed, the step, the layer, the group and
// the micro-batch. Drawing it dominates the time of simulations with many experts. A diagnosis
// simulates variants of a plan that need the same draws, so the draws are stored here.
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace dpl::simulation {

class BusiestLoads {
public:
  /// The values on which loads depend, apart from step, group, layer and micro-batch.
  using RoutingKey = std::array<double, 9>;
  /// Whether loads of this routing are stored. The store accepts only the first routing that is
  /// requested. Makes room for `count` steps.
  bool accepts(const RoutingKey& of, std::uint64_t count) {
    if (!routing)
      routing = of;
    if (*routing != of)
      return false;
    if (steps.size() < count)
      steps.resize(count);
    return true;
  }
  /// The stored load of the busiest rank divided by the mean; 0 if it is not drawn yet. Null if the
  /// store is full. Only one thread at a time may access a step.
  double* find(std::uint32_t step, std::uint32_t whose, std::uint32_t microBatch) {
    constexpr std::size_t mostKept = 2'000'000;
    auto& known = steps[step];
    const auto at = known.find({whose, microBatch});
    if (at != known.end())
      return &at->second;
    return known.size() < mostKept / steps.size() ? &known[{whose, microBatch}] : nullptr;
  }

private:
  std::optional<RoutingKey> routing;
  std::vector<llvm::DenseMap<std::pair<std::uint32_t, std::uint32_t>, double>> steps;
};

} // namespace dpl::simulation
