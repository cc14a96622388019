#pragma once
//===- SlowestRank.h - Who is slow in a step, and in most of them -----------------------------===//
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace dpl::simulation {

/// A unit that computes longest, beside others of its pipeline rank, more often than by chance.
struct Slowest {
  std::uint32_t pipelineRank = 0, device = 0; ///< the first that it stands for
  double share = 0;                           ///< of the steps
};

/// Of the times of units over what is the mean for each, the longest; nothing where several are, or
/// none by a percent.
std::optional<std::uint32_t> longestOf(llvm::ArrayRef<double> overMean);

/// Of so many units the one that was it in most steps, and in which share of them; nothing where
/// that is less than a tenth, or may be by chance.
struct MostFrequent {
  std::uint32_t index = 0;
  double share = 0;
};
std::optional<MostFrequent> mostOften(std::uint32_t units,
                                      llvm::ArrayRef<std::optional<std::uint32_t>> ofSteps);

} // namespace dpl::simulation
