#pragma once
//===- StepLoading.h - When the units of a step have their samples ----------------------------===//
#include "simulate/engine/Loaders.h"
#include "simulate/plan/StepShape.h"
#include "support/math/Distribution.h"
#include <optional>

namespace dpl::simulation {

/// ps that a step waits for its samples in which nothing varies and that takes so long itself.
std::uint64_t steadyLoading(const ir::Plan& plan, std::uint64_t step);

/// Steps one after the other: what was loaded ahead of one is there for the next. They begin as
/// behind many that took as long as they do on average.
class LoadingSimulation {
public:
  static bool has(const ir::Plan& plan) { return !plan.cluster.loading.empty(); }
  /// `alone`: ps that a step takes on average whose samples are there.
  LoadingSimulation(const StepShape& shape, std::uint64_t alone, std::uint64_t seed);
  /// ps from the beginning of the next step until each unit has its samples.
  llvm::ArrayRef<std::uint64_t> next();
  /// It took so long.
  void passed(std::uint64_t step) {
    now += (remainder + step) / tick, remainder = (remainder + step) % tick;
  }

private:
  /// ps of the clock of the loaders, on which thousands of the longest steps have room.
  static constexpr std::uint64_t tick = 1024;
  std::optional<simulate::Loaders> loaders;
  std::vector<std::vector<std::uint32_t>> loadersOf; ///< by unit: of the data ranks in it
  std::vector<std::uint64_t> waits;
  std::uint64_t now = 0, remainder = 0; ///< ticks, and ps behind them
};

} // namespace dpl::simulation
