//===- LayerSplits.cpp - Splits of the layers that are best by one measure --------------------===//
#include "cost/partition/LayerSplits.h"
#include <limits>

using namespace dpl;
using namespace dpl::cost;

namespace {
constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
/// Limits on evaluated stages per answer, and on stages × layers of a table. Beyond them results
/// are not exact.
constexpr std::uint64_t mostWeighed = 1 << 22, mostCells = 1 << 22;

/// Dynamic programming over stages: for each stage the best cost of the first layers.
class SplitTable {
public:
  explicit SplitTable(const StageCosts& of)
      : stages(of.stageCosts()), layers(of.layers()), least(stages.size() + 1, 0) {
    for (std::size_t stage = stages.size(); stage-- > 0;)
      least[stage] = least[stage + 1] + of.leastLayers(stage);
  }

  /// The smallest maximum of `cost(stage, begin, end)`, which must not fall as layers are added;
  /// `never` if nothing fits. With too many layers: the maximum of some split.
  template <class Cost> std::uint64_t leastMaximum(const Cost& cost) const {
    const std::uint64_t limit = enough(cost);
    if (isTooLarge())
      return limit;
    const std::vector<StageEndRange> within = endsWithin(limit, cost);
    std::uint64_t weighed = 0;
    std::vector<std::uint64_t> best(layers + 1, never), next(layers + 1);
    best[0] = 0;
    StageEndRange begins{0, 0};
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      std::fill(next.begin(), next.end(), never);
      const StageEndRange ends = within[stage];
      for (std::size_t end = ends.first; end <= ends.last; ++end)
        for (std::size_t begin = std::min(begins.last, end - cellOf(stage)) + 1;
             begin-- > begins.first;) {
          const std::uint64_t now = cost(stage, begin, end);
          if (++weighed > mostWeighed)
            return limit;
          if (now >= next[end])
            break;
          next[end] = std::min(next[end], std::max(now, best[begin]));
        }
      best.swap(next);
      begins = ends;
    }
    return best[layers];
  }

  /// The split with the least sum of `weight(stage, begin, end)` among those with `cost` at most
  /// `limit`; nothing if there is none or too many layers.
  template <class Cost, class Weight>
  std::optional<LayerSplit> leastWeight(std::uint64_t limit, const Cost& cost,
                                        const Weight& weight) const {
    using Sum = decltype(weight(std::size_t{0}, std::size_t{0}, std::size_t{0}));
    if (isTooLarge())
      return std::nullopt;
    std::uint64_t weighed = 0;
    std::vector<std::optional<Sum>> best(layers + 1), next(layers + 1);
    std::vector<std::uint32_t> cut(stages.size() * (layers + 1), 0);
    best[0] = Sum{};
    StageEndRange begins{0, 0};
    const std::vector<StageEndRange> within = endsWithin(limit, cost);
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      std::fill(next.begin(), next.end(), std::nullopt);
      const StageEndRange ends = within[stage];
      for (std::size_t begin = begins.first; begin <= begins.last; ++begin) {
        if (!best[begin])
          continue;
        for (std::size_t end = std::max(begin + cellOf(stage), ends.first); end <= ends.last;
             ++end) {
          if (++weighed > mostWeighed)
            return std::nullopt;
          if (cost(stage, begin, end) > limit)
            break;
          const Sum sum = *best[begin] + weight(stage, begin, end);
          if (!next[end] || sum < *next[end])
            next[end] = sum, cut[stage * (layers + 1) + end] = static_cast<std::uint32_t>(begin);
        }
      }
      best.swap(next);
      begins = ends;
    }
    if (!best[layers])
      return std::nullopt;
    LayerSplit split(stages.size());
    for (std::size_t stage = stages.size(), end = layers; stage-- > 0;) {
      const std::size_t begin = cut[stage * (layers + 1) + end];
      split[stage] = end - begin, end = begin;
    }
    return split;
  }

  bool isTooLarge() const { return stages.size() * layers > mostCells; }

  const std::vector<StageCost> stages;

private:
  /// The range of layers before which a stage may end.
  struct StageEndRange {
    std::size_t first, last;
  };

  /// The last end of a stage from `begin` on with cost at most `limit`.
  template <class Cost>
  std::optional<std::size_t> reach(std::size_t stage, std::size_t begin, std::uint64_t limit,
                                   const Cost& cost) const {
    std::size_t from = std::max(begin + cellOf(stage), firstEnd(stage)), to = lastEnd(stage);
    if (from > to || cost(stage, begin, from) > limit)
      return std::nullopt;
    while (from < to) {
      const std::size_t middle = to - (to - from) / 2;
      if (cost(stage, begin, middle) > limit)
        to = middle - 1;
      else
        from = middle;
    }
    return from;
  }

  /// An upper bound of the smallest maximum, usually close to it: the maximum of the greedy split,
  /// in which each stage takes as many layers as a limit allows. `never` if no such split fits.
  template <class Cost> std::uint64_t enough(const Cost& cost) const {
    const auto fits = [&](std::uint64_t limit) {
      std::optional<std::size_t> begin = 0;
      for (std::size_t stage = 0; begin && stage < stages.size(); ++stage)
        begin = reach(stage, *begin, limit, cost);
      return begin.has_value();
    };
    if (!fits(never - 1))
      return never;
    std::uint64_t from = 0, to = never - 1;
    while (from < to)
      if (const std::uint64_t middle = from + (to - from) / 2; fits(middle))
        to = middle;
      else
        from = middle + 1;
    return to;
  }

  /// Ranges that include the stage ends of all splits with costs of at most `limit`.
  template <class Cost>
  std::vector<StageEndRange> endsWithin(std::uint64_t limit, const Cost& cost) const {
    std::vector<StageEndRange> out;
    for (std::size_t stage = 0; stage < stages.size(); ++stage)
      out.push_back({firstEnd(stage), lastEnd(stage)});
    // A stage ends at the latest where it reaches from the last end of the previous stage, or
    // before that layer if the layer is too expensive.
    std::size_t begin = 0;
    for (std::size_t stage = 0; stage + 1 < stages.size(); ++stage) {
      begin = std::max(begin, reach(stage, begin, limit, cost).value_or(begin));
      out[stage].last = std::min(out[stage].last, begin);
    }
    for (std::size_t stage = stages.size() - 1; stage > 0; --stage) {
      const std::size_t end = out[stage].first;
      std::size_t from = 0, to = end - cellOf(stage);
      while (from < to)
        if (const std::size_t middle = from + (to - from) / 2; cost(stage, middle, end) > limit)
          from = middle + 1;
        else
          to = middle;
      std::size_t& first = out[stage - 1].first;
      first = std::max(first, from);
    }
    return out;
  }

  std::size_t cellOf(std::size_t stage) const { return least[stage] - least[stage + 1]; }
  std::size_t firstEnd(std::size_t stage) const {
    return stage + 1 == stages.size() ? layers : least[0] - least[stage + 1];
  }
  std::size_t lastEnd(std::size_t stage) const { return layers - least[stage + 1]; }

  const std::size_t layers;
  std::vector<std::size_t> least; ///< fewest layers of all stages from this one on
};

/// A sum of times and, to compare equal sums, the sum of their squares.
struct TimeSum {
  std::uint64_t time = 0;
  double squares = 0;
  TimeSum operator+(const TimeSum& o) const { return {time + o.time, squares + o.squares}; }
  auto operator<=>(const TimeSum&) const = default;
};

auto timeThatFits(const SplitTable& table) {
  return [&](std::size_t stage, std::size_t begin, std::size_t end) {
    const StageCost& on = table.stages[stage];
    return on.lacks(begin, end) == 0 ? on.time(begin, end) : never;
  };
}

auto evenly(const SplitTable& table) {
  return [&](std::size_t stage, std::size_t begin, std::size_t end) {
    const std::uint64_t time = table.stages[stage].time(begin, end);
    return TimeSum{time, static_cast<double>(time) * static_cast<double>(time)};
  };
}
} // namespace

LayerSplit dpl::cost::equalCounts(std::uint64_t layers, std::uint64_t stages) {
  LayerSplit split(stages, layers / stages);
  for (std::uint64_t stage = 0; stage < layers % stages; ++stage)
    ++split[stage];
  return split;
}

namespace {
/// A fair split, which may be restricted to splits that fit.
struct Fair {
  std::uint64_t lacks = 0; ///< missing bytes of all stages together
  LayerSplit split;
};

Fair fair(const StageCosts& costs, bool fits) {
  const std::uint64_t stages = costs.stages(), layers = costs.layers();
  std::uint64_t needed = 0; // fewest layers of the remaining stages
  for (std::uint64_t stage = 0; stage < stages; ++stage)
    needed += costs.leastLayers(stage);
  Fair out;
  const std::uint64_t tail = costs.stageCost(stages - 1).replicas.front().endTime;
  for (std::uint64_t stage = 0, begin = 0; stage < stages; begin += out.split.back(), ++stage) {
    const StageCost on = costs.stageCost(stage);
    const StageReplicaCost& at = on.replicas.front();
    const bool last = stage + 1 == stages;
    needed -= costs.leastLayers(stage);
    const std::uint64_t most = layers - needed;
    // The mean of the remaining time, to the nearest layer.
    const std::uint64_t share = (at.time(begin, layers) + (last ? 0 : tail)) / (stages - stage);
    const std::uint64_t end =
        lastEnd(last ? most : begin + costs.leastLayers(stage), most, [&](std::uint64_t middle) {
          return at.time(begin, middle - 1) + at.time(begin, middle) <= 2 * share &&
                 (!fits || on.lacks(begin, middle) == 0);
        });
    out.lacks += on.lacks(begin, end), out.split.push_back(end - begin);
  }
  return out;
}
} // namespace

LayerSplit dpl::cost::fairSplit(const StageCosts& costs) {
  Fair fitting = fair(costs, true), any = fair(costs, false);
  return fitting.lacks < any.lacks ? fitting.split : any.split;
}

std::optional<std::uint64_t> dpl::cost::leastSlowest(const StageCosts& costs) {
  const SplitTable table(costs);
  const std::uint64_t slowest = table.leastMaximum(timeThatFits(table));
  return slowest == never ? std::nullopt : std::optional(slowest);
}

std::optional<LayerSplit> dpl::cost::leastSum(const StageCosts& costs, std::uint64_t slowest) {
  const SplitTable table(costs);
  return table.leastWeight(slowest, timeThatFits(table), evenly(table));
}

std::optional<LayerSplit> dpl::cost::leastBusiest(const StageCosts& costs) {
  const SplitTable table(costs);
  std::vector<std::uint64_t> before(costs.stages(),
                                    0); // time of earlier messages and of the embedding
  for (std::size_t stage = 1; stage < before.size(); ++stage)
    before[stage] = before[stage - 1] + costs.message[stage - 1] +
                    (stage == 1 ? table.stages[0].time(0, 0) : 0);
  const auto fits = timeThatFits(table);
  const auto busy = [&](std::size_t stage, std::size_t begin, std::size_t end) {
    const std::uint64_t time = fits(stage, begin, end);
    const StageReplicaCost& on = table.stages[stage].replicas.front();
    return time == never ? never : before[stage] + on.times[begin] + costs.microBatches * time;
  };
  const std::uint64_t least = table.leastMaximum(busy);
  if (least == never)
    return std::nullopt;
  return table.leastWeight(least, busy, evenly(table));
}

std::optional<LayerSplit> dpl::cost::leastLacking(const StageCosts& costs) {
  const SplitTable table(costs);
  const auto lacks = [&](std::size_t stage, std::size_t begin, std::size_t end) {
    return table.stages[stage].lacks(begin, end);
  };
  return table.leastWeight(table.leastMaximum(lacks), lacks, evenly(table));
}
