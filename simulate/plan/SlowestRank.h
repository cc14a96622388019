#pragma once
//===- SlowestRank.h - The slowest rank of a step, and of most steps --------------------------===//
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace dpl::simulation {

/// A simulated rank that is the slowest of its pipeline rank more often than by chance.
struct Slowest {
  std::uint32_t pipelineRank = 0, device = 0; ///< first device that it represents
  double share = 0;                           ///< share of the steps
};

/// The largest of the times relative to their means. None if it is not unique, or not longer by 1
/// %.
std::optional<std::uint32_t> longestOf(llvm::ArrayRef<double> overMean);

/// The simulated rank that was slowest in most steps, and the share of these steps. None if the
/// share is less than a tenth, or may be by chance.
struct MostFrequent {
  std::uint32_t index = 0;
  double share = 0;
};
std::optional<MostFrequent> mostOften(std::uint32_t units,
                                      llvm::ArrayRef<std::optional<std::uint32_t>> ofSteps);

} // namespace dpl::simulation
