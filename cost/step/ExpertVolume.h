#pragma once
//===- ExpertVolume.h - Tokens that ranks send to experts -------------------------------------===//
#include "ir/Plan.h"
#include <vector>

namespace dpl::cost {

/// Tokens of the first layer and micro-batch of a step in which tokens choose experts at random.
/// Each rank draws its choices. A token counts once per expert that it chooses.
struct ExpertVolume {
  std::vector<std::vector<double>> sent; ///< tokens by sending and receiving rank
  std::vector<double> experts, ranks;    ///< tokens that each one receives
};

/// No volume is computed for larger expert groups.
constexpr std::uint64_t mostVolumeRanks = 1024;
/// Relies on: `RoutedPrograms::has(plan)` is true.
ExpertVolume expertVolume(const ir::Plan& plan, std::uint64_t seed);

} // namespace dpl::cost
