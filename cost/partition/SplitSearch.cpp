//===- SplitSearch.cpp - The fastest of the splits that are worth executing -------------------===//
#include "cost/partition/SplitSearch.h"
#include "cost/partition/LayerSplits.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

using namespace dpl;
using namespace dpl::cost;

namespace {
/// With more stages a layer moves between neighbours only.
constexpr std::uint64_t mostForPairs = 16;

class Choice {
public:
  Choice(const StageCosts& costs, std::uint64_t most, ExecuteSplit execute)
      : costs(costs), ranks(costs), most(most), execute(execute) {}

  /// Whether it is the best so far.
  bool run(const LayerSplit& split) {
    if (out.executed == most || !known.insert(split).second)
      return false;
    ++out.executed;
    const std::optional<SplitOutcome> outcome = execute(split);
    if (!outcome)
      return false;
    open.emplace(*outcome, split);
    if (out.outcome && !(*outcome < *out.outcome))
      return false;
    out.outcome = outcome, out.layers = split;
    return true;
  }

  /// Runs every split there is, where they are no more than may be executed.
  bool runAll() {
    LayerSplit split;
    std::uint64_t free = costs.layers();
    for (std::uint64_t stage = 0; stage < costs.stages(); ++stage) {
      split.push_back(costs.leastLayers(stage));
      free -= std::min(free, split.back());
    }
    // As many as ways to put cuts among the layers that are free: C(free + cuts, cuts).
    double ways = 1;
    for (std::uint64_t cuts = 1; cuts < costs.stages() && ways <= ir::real(most); ++cuts)
      ways *= ir::real(free + cuts) / ir::real(cuts);
    if (ways > ir::real(most))
      return false;
    split.back() += free;
    spread(split, 0, free);
    return true;
  }

  /// Moves single layers from stage to stage, the most promising first: from the fastest split
  /// whose neighbours are not all known, which need not be the fastest of all.
  void improve() {
    if (runAll())
      return;
    const std::uint64_t enough = costs.placement.chunks > 1 ? 64 : 8;
    for (std::uint64_t failures = 0; failures < enough && !open.empty() && out.executed < most;
         ++failures) {
      const LayerSplit from = open.begin()->second;
      open.erase(open.begin());
      std::vector<Move> moves = movesFrom(from);
      llvm::sort(moves);
      if (llvm::any_of(moves, [&](const Move& move) { return run(move.split); }))
        failures = 0;
    }
  }

  ChosenSplit out;

private:
  struct Move {
    std::uint64_t lacks = 0, bound = 0;
    LayerSplit split;
    auto operator<=>(const Move&) const = default;
  };

  /// Runs all splits that move up to `free` layers of the last stage to `stage` and those behind
  /// it.
  void spread(LayerSplit& split, std::size_t stage, std::uint64_t free) {
    if (stage + 1 == split.size()) {
      run(split);
      return;
    }
    for (std::uint64_t more = 0; more <= free; ++more) {
      split[stage] += more, split.back() -= more;
      spread(split, stage + 1, free - more);
      split[stage] -= more, split.back() += more;
    }
  }

  std::vector<Move> movesFrom(const LayerSplit& split) {
    std::vector<Move> moves;
    for (std::size_t from = 0; from < split.size(); ++from)
      for (std::size_t to = 0; split[from] > costs.leastLayers(from) && to < split.size(); ++to) {
        const bool near = from + 1 == to || to + 1 == from;
        if (from == to || (split.size() > mostForPairs && !near))
          continue;
        LayerSplit moved = split;
        --moved[from], ++moved[to];
        if (known.count(moved) == 0)
          moves.push_back({ranks.lacks(moved), ranks.bound(moved), std::move(moved)});
      }
    return moves;
  }

  const StageCosts& costs;
  RankCosts ranks;
  const std::uint64_t most;
  ExecuteSplit execute;
  std::set<LayerSplit> known;
  std::set<std::pair<SplitOutcome, LayerSplit>> open; ///< executed, neighbours not
};
} // namespace

ChosenSplit dpl::cost::chooseSplit(const StageCosts& costs, llvm::ArrayRef<LayerSplit> others,
                                   std::uint64_t most, ExecuteSplit execute) {
  Choice choice(costs, most, execute);
  std::vector<LayerSplit> candidates;
  const auto add = [&](std::optional<LayerSplit> split) {
    if (split && !llvm::is_contained(candidates, *split))
      candidates.push_back(std::move(*split));
  };
  const std::optional<std::uint64_t> slowest = leastSlowest(costs);
  add(slowest ? leastSum(costs, *slowest) : leastLacking(costs));
  if (slowest)
    add(leastBusiest(costs));
  RankCosts ranks(costs);
  SlowestRank rank{candidates.front(), ranks.slowest(candidates.front()), slowest.value_or(0)};
  if (costs.placement.copies() > costs.placement.ranks) {
    rank = leastSlowestRank(costs, candidates.front());
    add(rank.split);
  }
  for (const LayerSplit& other : others)
    add(other);
  choice.out.layers = candidates.front();
  for (const LayerSplit& candidate : candidates) {
    choice.run(candidate);
    if (&candidate == &candidates.front())
      choice.out.evenest = choice.out.outcome;
  }
  choice.improve();
  choice.out.candidates = candidates.size();
  choice.out.slowest = ranks.slowest(choice.out.layers);
  choice.out.leastSlowest = std::min(rank.least, choice.out.slowest);
  return std::move(choice.out);
}
