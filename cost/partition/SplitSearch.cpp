//===- SplitSearch.cpp - Executes candidate splits and finds the fastest ----------------------===//
#include "cost/partition/SplitSearch.h"
#include "cost/partition/LayerSplits.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

using namespace dpl;
using namespace dpl::cost;

namespace {
/// Largest number of stages for which layers move between any two stages. With more stages they
/// move only between neighbours.
constexpr std::uint64_t mostForPairs = 16;
/// Largest number of stages of a search. With more stages the result is a fair split.
constexpr std::uint64_t mostStages = 4096;
/// Limit of evaluated stages, over all moves.
constexpr std::uint64_t mostWeighed = 1 << 25;
/// Number of executed splits after which bounds are compared with steps, and number after which
/// unsuccessful attempts end the search.
constexpr std::uint64_t enoughToJudge = 16, enoughToEnd = 128;

class SplitClimb {
public:
  SplitClimb(const StageCosts& costs, std::uint64_t most, ExecuteSplit execute)
      : costs(costs), ranks(costs), most(most), execute(execute) {}

  /// Returns nothing if the split is known already or the budget is used up.
  std::optional<SplitOutcome> run(const LayerSplit& split) {
    if (out.executed == most || !known.insert(split).second)
      return std::nullopt;
    ++out.executed;
    const std::optional<SplitOutcome> outcome = execute(split);
    if (!outcome)
      return std::nullopt;
    stepOfBound =
        std::min(stepOfBound, ir::real(outcome->step) /
                                  ir::real(std::max<std::uint64_t>(1, ranks.bound(split))));
    open.emplace(*outcome, split);
    if (!out.outcome || *outcome < *out.outcome)
      out.outcome = outcome, out.layers = split;
    return outcome;
  }

  /// Runs all splits except those that are certainly slower, if the budget allows it.
  bool runAll() {
    LayerSplit split;
    std::uint64_t free = costs.layers();
    for (std::uint64_t stage = 0; stage < costs.stages(); ++stage) {
      split.push_back(costs.leastLayers(stage));
      free -= std::min(free, split.back());
    }
    // Number of ways to place the cuts among the free layers: C(free + cuts, cuts).
    double ways = 1;
    for (std::uint64_t cuts = 1; cuts < costs.stages() && ways <= ir::real(most); ++cuts)
      ways *= ir::real(free + cuts) / ir::real(cuts);
    if (ways > ir::real(most))
      return false;
    split.back() += free;
    spread(split, 0, free);
    return true;
  }

  /// Climbs from an executed split until no move improves it. Different candidates can lead to
  /// different local optima.
  void climb(LayerSplit split, std::optional<SplitOutcome> at) {
    while (at)
      at = better(split, *at);
  }

  /// Continues from the fastest split with unknown neighbours, which need not be the fastest of
  /// all, until several of them have no neighbour that is faster than the best.
  void improve() {
    const std::uint64_t enough = costs.placement.chunks > 1 ? 16 : 8;
    for (std::uint64_t failures = 0;
         (failures < enough || out.executed < enoughToEnd) && !open.empty() && hasBudget();
         ++failures) {
      LayerSplit split = open.begin()->second;
      if (better(split, *out.outcome))
        failures = 0;
    }
  }

  ChosenSplit out;
  const StageCosts& costs;
  RankCosts ranks;

private:
  struct Move {
    std::uint64_t lacks = 0, bound = 0;
    std::size_t from = 0, to = 0;
    int layers = 1;

    int changeOf(std::size_t stage) const { return ((stage == to) - (stage == from)) * layers; }
    void apply(LayerSplit& split) const {
      split[from] -= static_cast<std::uint64_t>(layers);
      split[to] += static_cast<std::uint64_t>(layers);
    }
    /// Equal moves are ordered by the resulting split.
    bool operator<(const Move& o) const {
      if (lacks != o.lacks || bound != o.bound)
        return std::pair(lacks, bound) < std::pair(o.lacks, o.bound);
      std::size_t stages[] = {from, to, o.from, o.to};
      llvm::sort(stages);
      for (const std::size_t stage : stages)
        if (changeOf(stage) != o.changeOf(stage))
          return changeOf(stage) < o.changeOf(stage);
      return false;
    }
  };

  bool hasBudget() const { return out.executed < most && weighed <= mostWeighed; }

  /// Finds the first neighbour of a split that is better than an outcome, most promising first;
  /// `split` becomes this neighbour.
  std::optional<SplitOutcome> better(LayerSplit& split, SplitOutcome than) {
    const auto here = llvm::find_if(open, [&](const auto& at) { return at.second == split; });
    if (here != open.end())
      open.erase(here);
    for (const Move& move : hasBudget() ? movesFrom(split) : std::vector<Move>()) {
      if (isSlower(move.bound))
        continue;
      LayerSplit moved = split;
      move.apply(moved);
      if (const std::optional<SplitOutcome> outcome = run(moved); outcome && *outcome < than) {
        split = moved;
        return outcome;
      }
    }
    return std::nullopt;
  }

  /// Whether a split is slower than the best so far, judged by its bound. Layers may take less time
  /// together than alone, by at most the factor seen so far.
  bool isSlower(std::uint64_t bound) const {
    return costs.boundHolds && out.executed >= enoughToJudge && out.outcome &&
           out.outcome->lacks == 0 && stepOfBound * ir::real(bound) > ir::real(out.outcome->step);
  }

  /// Runs all promising splits that move up to `free` layers from the last stage to `stage` and
  /// later ones.
  void spread(LayerSplit& split, std::size_t stage, std::uint64_t free) {
    if (stage + 1 == split.size()) {
      if (!isSlower(ranks.bound(split)))
        run(split);
      return;
    }
    for (std::uint64_t more = 0; more <= free; ++more) {
      split[stage] += more, split.back() -= more;
      spread(split, stage + 1, free - more);
      split[stage] -= more, split.back() += more;
    }
  }

  /// Moves a layer between any two stages, or two layers to a neighbour; with many stages only
  /// between neighbours.
  std::vector<Move> movesFrom(LayerSplit split) {
    std::vector<Move> moves;
    const auto add = [&](std::size_t from, std::size_t to, int layers) {
      Move move{0, 0, from, to, layers};
      const LayerSplit before = split;
      move.apply(split);
      if (known.count(split) == 0) {
        move.lacks = ranks.lacks(split), move.bound = ranks.bound(split);
        moves.push_back(move);
      }
      split = before, weighed += split.size();
    };
    const std::size_t last = split.size() - 1;
    const std::size_t away = split.size() <= mostForPairs ? last : 1;
    for (std::size_t from = 0; from <= last; ++from)
      for (std::size_t to = from - std::min(from, away); to <= std::min(from + away, last); ++to) {
        const bool near = from + 1 == to || to + 1 == from;
        const std::uint64_t least = costs.leastLayers(from);
        if (from != to && split[from] > least)
          add(from, to, 1);
        if (near && split[from] > least + 1)
          add(from, to, 2);
      }
    out.considersAll &= weighed <= mostWeighed;
    llvm::sort(moves);
    return moves;
  }

  const std::uint64_t most;
  std::uint64_t weighed = 0;
  double stepOfBound = 1; ///< smallest ratio of executed step to bound
  ExecuteSplit execute;
  std::set<LayerSplit> known;
  std::set<std::pair<SplitOutcome, LayerSplit>> open; ///< executed, with unknown neighbours
};
} // namespace

ChosenSplit dpl::cost::chooseSplit(const StageCosts& costs, llvm::ArrayRef<LayerSplit> others,
                                   std::uint64_t most, ExecuteSplit execute) {
  SplitClimb choice(costs, most, execute);
  std::vector<LayerSplit> candidates;
  const auto add = [&](std::optional<LayerSplit> split) {
    if (split && !llvm::is_contained(candidates, *split))
      candidates.push_back(std::move(*split));
  };
  const bool few = costs.stages() <= mostStages;
  const std::optional<std::uint64_t> slowest = few ? leastSlowest(costs) : std::nullopt;
  if (few)
    add(slowest ? leastSum(costs, *slowest) : leastLacking(costs));
  choice.out.considersAll = !candidates.empty();
  if (slowest)
    add(leastBusiest(costs));
  if (candidates.empty())
    add(fairSplit(costs));
  RankCosts& ranks = choice.ranks;
  SlowestRank rank{candidates.front(), ranks.slowest(candidates.front()), slowest.value_or(0)};
  if (few && costs.placement.stageReplicas() > costs.placement.ranks) {
    rank = leastSlowestRank(costs, candidates.front());
    add(rank.split);
  }
  for (const LayerSplit& other : others)
    add(other);
  choice.out.layers = candidates.front();
  std::vector<std::optional<SplitOutcome>> outcomes;
  for (const LayerSplit& candidate : candidates)
    outcomes.push_back(choice.run(candidate));
  choice.out.evenest = outcomes.front();
  if (few && !choice.runAll()) {
    std::vector<std::pair<SplitOutcome, LayerSplit>> starts;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (outcomes[i])
        starts.emplace_back(*outcomes[i], candidates[i]);
    llvm::sort(starts);
    for (const auto& [outcome, split] : starts)
      choice.climb(split, outcome);
    choice.improve();
  }
  choice.out.candidates = candidates.size();
  choice.out.slowest = ranks.slowest(choice.out.layers);
  choice.out.leastSlowest = std::min(rank.least, choice.out.slowest);
  return std::move(choice.out);
}
