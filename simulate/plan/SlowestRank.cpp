//===- SlowestRank.cpp - The slowest rank of a step, and of most steps ------------------------===//
#include "simulate/plan/SlowestRank.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::simulation;

std::optional<std::uint32_t> dpl::simulation::longestOf(llvm::ArrayRef<double> overMean) {
  constexpr double slow = 1.01, apart = 1 + 1e-9; // a difference by rounding must not count
  std::optional<std::uint32_t> longest;
  double most = 0;
  for (std::uint32_t unit = 0; unit < overMean.size(); ++unit)
    if (overMean[unit] > most * apart)
      most = overMean[unit], longest = unit;
    else if (overMean[unit] * apart >= most)
      longest.reset();
  return most >= slow ? longest : std::nullopt;
}

std::optional<MostFrequent>
dpl::simulation::mostOften(std::uint32_t units,
                           llvm::ArrayRef<std::optional<std::uint32_t>> ofSteps) {
  constexpr double leastShare = 0.1, errors = 3;
  std::vector<double> times(units);
  for (const std::optional<std::uint32_t> unit : ofSteps)
    if (unit)
      ++times[*unit];
  const auto most = std::max_element(times.begin(), times.end());
  const auto steps = static_cast<double>(ofSteps.size());
  // If all ranks were alike, each would be the slowest this many times, with its square root as
  // standard deviation.
  const double chance = steps / units;
  if (units < 2 || *most < leastShare * steps || *most < chance + errors * std::sqrt(chance) + 2)
    return std::nullopt;
  return MostFrequent{static_cast<std::uint32_t>(most - times.begin()), *most / steps};
}
