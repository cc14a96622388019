#pragma once
//===- LayerSplits.h - Cuts of a model that are best by themselves ----------------------------===//
//
// Dynamic programming over stages and layers, exact for what each function says as long as no more
// than some millions of stages have to be weighed. Of equal splits the one is taken whose cuts come
// earliest, the last cut first.
#include "cost/partition/StageCosts.h"
#include <optional>

namespace dpl::cost {

/// As many layers in each stage, but for one more in the first of them where they do not divide.
LayerSplit equalCounts(std::uint64_t layers, std::uint64_t stages);

/// Stage after stage as near to a fair share of what is left as layers and memory allow; found at
/// once, however many layers there are.
LayerSplit fairSplit(const StageCosts& costs);

/// The least that the slowest stage takes, of splits that fit, each stage alone on its rank;
/// nothing where none fits. Of too many layers what some split has.
std::optional<std::uint64_t> leastSlowest(const StageCosts& costs);

/// Of the splits that fit and whose stages take at most `slowest`, the one whose stages take least
/// in all, and of those the most even: with the least sum of squares. `slowest` = leastSlowest
/// gives the split of the stated objective: the slowest stage, then the sum of the others. Nothing
/// where there is none, or too many layers; so leastBusiest.
std::optional<LayerSplit> leastSum(const StageCosts& costs, std::uint64_t slowest);

/// The split with the least of the way to a stage and all its own work, as RankCosts::bound has it
/// where each rank has one stage; of those the most even.
std::optional<LayerSplit> leastBusiest(const StageCosts& costs);

/// The split whose stages lack as few bytes as can be, for where none fits; nothing of too many
/// layers.
std::optional<LayerSplit> leastLacking(const StageCosts& costs);

/// The slowest rank with several chunks: a search for the split that makes it least, which stops
/// after a number of steps, and below what no split comes.
struct SlowestRank {
  LayerSplit split;
  std::uint64_t time = 0, least = 0;
};
SlowestRank leastSlowestRank(const StageCosts& costs, LayerSplit from);

} // namespace dpl::cost
