#pragma once
//===- BusiestLoads.h - Drawn loads that simulations of similar plans share -------------------===//
//
// The load of the busiest rank of experts is a function of the seed, the step, the layer, the group
// and the micro-batch. Drawing it takes most of the time of a simulation with many experts, and a
// diagnosis simulates variants of a plan that draw the same.
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace dpl::simulation {

class BusiestLoads {
public:
  /// Everything that the loads depend on besides the step, the group, the layer and the
  /// micro-batch.
  using RoutingKey = std::array<double, 9>;
  /// Whether loads with this routing are kept, which are those of the first one; `count` steps of
  /// them from now on.
  bool accepts(const RoutingKey& of, std::uint64_t count) {
    if (!routing)
      routing = of;
    if (*routing != of)
      return false;
    if (steps.size() < count)
      steps.resize(count);
    return true;
  }
  /// The place of a load, over the mean, which is 0 if it has not been drawn. Null if there is no
  /// room for more. One thread at a time asks for those of a step.
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
