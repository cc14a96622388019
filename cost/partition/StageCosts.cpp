//===- StageCosts.cpp - Costs of layers by stage ----------------------------------------------===//
#include "cost/partition/StageCosts.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;

std::uint64_t StageCosts::leastLayers(std::uint64_t stage) const {
  const bool end = stage == 0 || stage + 1 == stages();
  return end && (hasEnds || layers() < stages()) ? 0 : 1;
}

StageCost StageCosts::stageCost(std::uint64_t stage) const {
  StageCost out;
  for (std::uint64_t direction = 0; direction < placement.directions(); ++direction) {
    StageReplicaCost replica;
    replica.rank = placement.rankOf(stage, direction);
    const RankCostSums& kind = rankCostSums[rankCostSumsOf[replica.rank]];
    replica.times = kind.time.data(), replica.states = kind.state.data();
    replica.saves = kind.saved.data(), replica.restores = kind.restored.data();
    const std::size_t at = direction * stages() + stage;
    replica.live = live[at], replica.restored = restored[at], replica.room = room[replica.rank];
    const auto add = [&](const EndCost& end) {
      replica.endTime += end.time, replica.endState += end.state, replica.endSaved += end.saved;
      replica.temporary = std::max(replica.temporary, end.temporary);
    };
    if (stage == 0)
      add(kind.first);
    if (stage + 1 == stages())
      add(kind.last);
    out.replicas.push_back(replica);
  }
  return out;
}

std::vector<StageCost> StageCosts::stageCosts() const {
  std::vector<StageCost> all;
  all.reserve(stages());
  for (std::uint64_t stage = 0; stage < stages(); ++stage)
    all.push_back(stageCost(stage));
  return all;
}

const std::vector<std::uint64_t>& RankCosts::times(llvm::ArrayRef<std::uint64_t> split) {
  byRank.assign(costs.placement.ranks, 0);
  visit(split, [&](std::size_t, const StageReplicaCost& replica, std::size_t begin,
                   std::size_t end) { byRank[replica.rank] += replica.time(begin, end); });
  for (std::uint64_t& time : byRank)
    time /= costs.placement.directions();
  return byRank;
}

std::uint64_t RankCosts::slowest(llvm::ArrayRef<std::uint64_t> split) {
  times(split);
  return *std::max_element(byRank.begin(), byRank.end());
}

std::uint64_t RankCosts::bound(llvm::ArrayRef<std::uint64_t> split) {
  times(split);
  reached.assign(costs.placement.ranks, false);
  std::uint64_t most = 0, way = 0;
  visit(split, [&](std::size_t stage, const StageReplicaCost& replica, std::size_t begin,
                   std::size_t end) {
    // A rank with both directions is reached by either one.
    const bool one = costs.placement.directions() == 1;
    if (!reached[replica.rank])
      most = std::max(most, (one ? way : 0) + costs.microBatches * byRank[replica.rank]);
    reached[replica.rank] = true;
    if (&replica == stages[stage].replicas.begin())
      way += replica.time(begin, end) + costs.message[stage];
  });
  return std::max(most, way);
}

std::uint64_t RankCosts::lacks(llvm::ArrayRef<std::uint64_t> split) {
  byRank.assign(costs.placement.ranks, 0);
  visit(split, [&](std::size_t, const StageReplicaCost& replica, std::size_t begin,
                   std::size_t end) { byRank[replica.rank] += replica.bytes(begin, end); });
  std::uint64_t all = 0;
  for (std::size_t rank = 0; rank < byRank.size(); ++rank)
    all += byRank[rank] > costs.room[rank] ? byRank[rank] - costs.room[rank] : 0;
  return all;
}
