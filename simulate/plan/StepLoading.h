#pragma once
//===- StepLoading.h - Loading of samples in simulated steps ----------------------------------===//
#include "simulate/engine/Loaders.h"
#include "simulate/plan/StepShape.h"
#include "support/math/Distribution.h"
#include <optional>

namespace dpl::simulation {

/// ps for which a step of `step` ps waits for its samples if nothing varies.
std::uint64_t steadyLoading(const ir::Plan& plan, std::uint64_t step);

/// Loads samples in advance for successive steps. It begins in the state after many steps of the
/// mean time.
class LoadingSimulation {
public:
  static bool has(const ir::Plan& plan) { return !plan.cluster.loading.empty(); }
  /// `alone` is the mean ps of a step that does not wait for samples.
  LoadingSimulation(const StepShape& shape, std::uint64_t alone, std::uint64_t seed);
  /// ps from the start of the next step until each simulated rank has its samples.
  llvm::ArrayRef<std::uint64_t> next();
  /// Ends a step that took `step` ps.
  void passed(std::uint64_t step) {
    now += (remainder + step) / tick, remainder = (remainder + step) % tick;
  }

private:
  /// ps per tick of the loaders' clock. It is coarse, so that the sum of thousands of long steps
  /// fits.
  static constexpr std::uint64_t tick = 1024;
  std::optional<simulate::Loaders> loaders;
  std::vector<std::vector<std::uint32_t>> loadersOf; ///< by simulated rank: data ranks whose
                                                     ///< loaders it waits for
  std::vector<std::uint64_t> waits;
  std::uint64_t now = 0, remainder = 0; ///< current time: ticks, and the remainder in ps
};

} // namespace dpl::simulation
