#pragma once
//===- ExpertVolume.h - Who sends how many tokens to whose experts ---------------------------===//
#include "ir/Plan.h"
#include <vector>

namespace dpl::cost {

/// Of the first layer and micro-batch of a step, where tokens choose experts by chance: drawn rank
/// by rank. A token is counted for each expert that it chooses.
struct ExpertVolume {
  std::vector<std::vector<double>> sent; ///< by the rank that sends and the one that receives
  std::vector<double> experts, ranks;    ///< what each is sent
};

/// More ranks are left out.
constexpr std::uint64_t mostVolumeRanks = 1024;
/// Relies on: `RoutedPrograms::has`.
ExpertVolume expertVolume(const ir::Plan& plan, std::uint64_t seed);

} // namespace dpl::cost
