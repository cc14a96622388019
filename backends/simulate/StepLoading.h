#pragma once
//===- StepLoading.h - When the units of a step have their samples ----------------------------===//
#include "backends/simulate/StepShape.h"
#include "simulate/Distribution.h"
#include "simulate/Loaders.h"
#include <optional>

namespace dpl::simulation {

/// ps that a step waits for its samples in which nothing varies and that takes so long itself.
std::uint64_t steadyLoading(const ir::Plan& plan, std::uint64_t step);

/// Steps one after the other: what was loaded ahead of one is there for the next. They begin as
/// behind many in which nothing varied.
class StepLoading {
public:
  static bool has(const ir::Plan& plan) { return !plan.cluster.loading.empty(); }
  /// `steady`: ps of a step in which nothing varies and nothing is waited for.
  StepLoading(const StepShape& shape, std::uint64_t steady, std::uint64_t seed);
  /// ps from the beginning of the next step until each unit has its samples.
  llvm::ArrayRef<std::uint64_t> next();
  /// It took so long.
  void passed(std::uint64_t step) { now += step; }

private:
  std::optional<simulate::Loaders> loaders;
  std::vector<std::vector<std::uint32_t>> loadersOf; ///< by unit: of the data ranks in it
  std::vector<std::uint64_t> waits;
  std::uint64_t now = 0;
};

} // namespace dpl::simulation
