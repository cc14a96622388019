#pragma once
//===- LayerSplits.h - Splits of the layers that are best by one measure ----------------------===//
//
// These functions use dynamic programming over stages and layers. Each is exact for its own measure
// up to some millions of evaluated stages. Among equal splits it returns the one with the earliest
// cuts, compared from the last cut on.
#include "cost/partition/StageCosts.h"
#include <optional>

namespace dpl::cost {

/// Equally many layers per stage; the first stages have one more if they do not divide evenly.
LayerSplit equalCounts(std::uint64_t layers, std::uint64_t stages);

/// Each stage gets the fair share of the remaining time, as closely as layers and memory allow.
/// Takes little time for any number of layers.
LayerSplit fairSplit(const StageCosts& costs);

/// The smallest possible time of the slowest stage among splits that fit in memory, each stage
/// alone on its rank; nothing if none fits. With too many layers: an upper bound that some split
/// reaches.
std::optional<std::uint64_t> leastSlowest(const StageCosts& costs);

/// Among splits that fit and whose stages take at most `slowest`, the one with the least total
/// time, and of those the most even one (least sum of squares). With `slowest` = leastSlowest the
/// objective is the slowest stage, then the sum of the others. Nothing if there is none or too many
/// layers; the same holds for leastBusiest.
std::optional<LayerSplit> leastSum(const StageCosts& costs, std::uint64_t slowest);

/// The split with the least sum of the path to a stage and its own work, as in RankCosts::bound
/// with one stage per rank; of those the most even one.
std::optional<LayerSplit> leastBusiest(const StageCosts& costs);

/// The split with the least missing memory, for models that do not fit; nothing for too many
/// layers.
std::optional<LayerSplit> leastLacking(const StageCosts& costs);

/// The result of a search with several chunks per rank: the best split that was found within a
/// number of steps, the time of its slowest rank, and a lower bound of this time over all splits.
struct SlowestRank {
  LayerSplit split;
  std::uint64_t time = 0, least = 0;
};
SlowestRank leastSlowestRank(const StageCosts& costs, LayerSplit from);

} // namespace dpl::cost
