//===- SlowestRank.cpp - A bounded search with several chunks per rank ------------------------===//
//
// The search asks whether some split has no rank above a limit, for limits between a lower bound
// and the best split so far. It places stage after stage, starting near a fair share. An answer
// within the step limit is a proof.
#include "cost/partition/LayerSplits.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;

namespace {
constexpr std::size_t mostSteps = 400, mostLimits = 12;

class SlowestRankSearch {
public:
  explicit SlowestRankSearch(const StageCosts& of)
      : costs(of), stages(of.stageCosts()), layers(of.layers()), remainingLayers(layers + 1, 0),
        needed(stages.size() + 1, 0), remainingChunks(of.placement.ranks, 0),
        split(stages.size(), 0) {
    for (std::size_t i = layers; i-- > 0;) {
      const std::uint64_t time = leastOf(i);
      remainingLayers[i] = remainingLayers[i + 1] + of.placement.directions() * time;
      cheapest = std::min(cheapest, time);
    }
    for (std::size_t stage = stages.size(); stage-- > 0;)
      needed[stage] = needed[stage + 1] + of.leastLayers(stage);
    for (const StageCost& stage : stages)
      for (const StageReplicaCost& replica : stage.replicas)
        ends += replica.endTime, ++remainingChunks[replica.rank];
  }

  /// Lower bound of the time of all chunks of a rank.
  std::uint64_t bound() const {
    const std::uint64_t mean =
        (remainingLayers[0] + ends + costs.placement.ranks - 1) / costs.placement.ranks;
    std::uint64_t low = mean, high = std::max(mean, 2 * (remainingLayers[0] + ends));
    while (low < high)
      if (const std::uint64_t middle = low + (high - low) / 2; holdsAll(middle))
        high = middle;
      else
        low = middle + 1;
    return low;
  }

  enum class Answer : std::uint8_t { Found, None, Unknown };
  Answer within(std::uint64_t limit) {
    free.assign(costs.placement.ranks, limit);
    steps = 0;
    const std::uint64_t all = limit * costs.placement.ranks;
    return all < remainingLayers[0] + ends ? Answer::None : place(0, 0, all - ends);
  }
  const LayerSplit& found() const { return split; }

private:
  std::uint64_t leastOf(std::size_t layer) const {
    std::uint64_t least = UINT64_MAX;
    for (const StageCosts::RankCostSums& kind : costs.rankCostSums)
      least = std::min(least, kind.time[layer + 1] - kind.time[layer]);
    return least;
  }

  /// Whether the ranks have room for all layers if each layer took the time of the cheapest one.
  bool holdsAll(std::uint64_t limit) const {
    std::uint64_t count = 0;
    if (layers == 0 || cheapest == 0)
      return true;
    std::vector<std::uint64_t> room(costs.placement.ranks, limit);
    for (const StageCost& stage : stages)
      for (const StageReplicaCost& replica : stage.replicas)
        if (room[replica.rank] < replica.endTime)
          return false;
        else
          room[replica.rank] -= replica.endTime;
    for (const std::uint64_t time : room)
      count += time / cheapest;
    return count >= costs.placement.directions() * layers;
  }

  bool fits(std::size_t stage, std::size_t begin, std::size_t end) const {
    return llvm::all_of(stages[stage].replicas, [&](const StageReplicaCost& replica) {
      return replica.time(begin, end) <= free[replica.rank] &&
             replica.bytes(begin, end) <= replica.room;
    });
  }

  /// The last layer at which the stage can end, given its share of its ranks' remaining time and
  /// memory. Memory limits the range, because no later end fits and testing each of many layers
  /// would be slow.
  std::size_t fairEnd(std::size_t stage, std::size_t begin, std::size_t last) const {
    return lastEnd(begin, last, [&](std::size_t end) {
      return llvm::all_of(stages[stage].replicas, [&](const StageReplicaCost& replica) {
        return replica.time(begin, end) * remainingChunks[replica.rank] <= free[replica.rank] &&
               replica.bytes(begin, end) <= replica.room;
      });
    });
  }

  /// Places this stage and the later ones. `spare`: time that all ranks together have left below
  /// the limit, without the time of embedding and head.
  Answer place(std::size_t stage, std::size_t begin, std::uint64_t spare) {
    if (stage == stages.size())
      return begin == layers ? Answer::Found : Answer::None;
    if (++steps > mostSteps)
      return Answer::Unknown;
    if (spare < remainingLayers[begin])
      return Answer::None;
    const bool final = stage + 1 == stages.size();
    const std::size_t first = final ? layers : begin + needed[stage] - needed[stage + 1];
    const std::size_t last = layers - needed[stage + 1];
    if (first > last)
      return Answer::None;
    const std::size_t fair = std::max(first, fairEnd(stage, begin, last));
    bool grows = true; // until an end does not fit
    // The share, one more, one less, two more, …
    for (std::size_t away = 0; (grows && fair + away <= last) || fair >= first + away; ++away)
      for (const bool more : {true, false}) {
        if ((away == 0 && !more) || (more ? !grows || fair + away > last : fair < first + away))
          continue;
        const std::size_t end = more ? fair + away : fair - away;
        if (!fits(stage, begin, end)) {
          grows = grows && !more;
          continue;
        }
        const Answer answer = with(stage, begin, end, spare);
        if (answer != Answer::None)
          return answer;
      }
    return Answer::None;
  }

  Answer with(std::size_t stage, std::size_t begin, std::size_t end, std::uint64_t spare) {
    std::uint64_t used = 0;
    for (const StageReplicaCost& replica : stages[stage].replicas) {
      free[replica.rank] -= replica.time(begin, end), --remainingChunks[replica.rank];
      used += replica.time(begin, end) - replica.endTime;
    }
    split[stage] = end - begin;
    const Answer answer = used > spare ? Answer::None : place(stage + 1, end, spare - used);
    for (const StageReplicaCost& replica : stages[stage].replicas)
      free[replica.rank] += replica.time(begin, end), ++remainingChunks[replica.rank];
    return answer;
  }

  const StageCosts& costs;
  const std::vector<StageCost> stages;
  const std::size_t layers;
  std::vector<std::uint64_t>
      remainingLayers;             ///< least time of the layers from this one on, in all directions
  std::vector<std::size_t> needed; ///< fewest layers of all stages from this one on
  std::vector<std::uint64_t> free; ///< time left below the limit, by rank
  std::vector<std::uint64_t> remainingChunks;
  std::uint64_t ends = 0, cheapest = UINT64_MAX;
  std::size_t steps = 0;
  LayerSplit split;
};
} // namespace

SlowestRank dpl::cost::leastSlowestRank(const StageCosts& costs, LayerSplit from) {
  const std::uint64_t directions = costs.placement.directions();
  RankCosts ranks(costs);
  SlowestRank out{std::move(from), 0, 0};
  std::uint64_t best = directions * ranks.slowest(out.split);
  SlowestRankSearch search(costs);
  std::uint64_t least = search.bound(), untried = least;
  for (std::size_t tries = 0; tries < mostLimits && untried < best; ++tries) {
    const std::uint64_t limit = untried + (best - 1 - untried) / 2;
    const SlowestRankSearch::Answer answer = search.within(limit);
    if (answer == SlowestRankSearch::Answer::Found) {
      out.split = search.found();
      best = std::min(limit, directions * ranks.slowest(out.split) + directions - 1);
      continue;
    }
    untried = limit + 1;
    if (answer == SlowestRankSearch::Answer::None)
      least = untried;
  }
  out.time = ranks.slowest(out.split);
  out.least = std::min(out.time, (least + directions - 1) / directions);
  return out;
}
