#pragma once
//===- SlowestRank.h - The slowest rank of a step, and of most steps --------------------------===//
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace dpl::simulation {

/// A simulated rank that is slowest within its pipeline rank more often than by chance.
struct Slowest {
  std::uint32_t pipelineRank = 0, device = 0; ///< first device that it represents
  double share = 0;                           ///< share of the steps in which it is the slowest
};

/// The simulated rank with the largest of the values, each a time divided by its mean. None if
/// several are equally large, or if the largest exceeds the mean by less than 1 %.
std::optional<std::uint32_t> longestOf(llvm::ArrayRef<double> overMean);

/// The simulated rank that was slowest in most steps, and the share of these steps. None if the
/// share is less than a tenth, or may be due to chance.
struct MostFrequent {
  std::uint32_t index = 0;
  double share = 0;
};
std::optional<MostFrequent> mostOften(std::uint32_t units,
                                      llvm::ArrayRef<std::optional<std::uint32_t>> ofSteps);

} // namespace dpl::simulation
