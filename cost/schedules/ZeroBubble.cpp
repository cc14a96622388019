//===- ZeroBubble.cpp - Parts shared by zero-bubble schedules ---------------------------------===//
#include "cost/schedules/ZeroBubble.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using dpl::ir::ActionKind;

std::vector<ChunkTime> dpl::cost::timesOrEqual(const PipelineShape& shape,
                                               llvm::ArrayRef<ChunkTime> times) {
  if (!times.empty())
    return times;
  // Forward passes, input gradients and weight gradients take equally long, as in the papers'
  // figures.
  return std::vector<ChunkTime>(shape.placement().stageReplicas(), {1, 2, 0, 0, 1});
}

std::optional<std::uint64_t> dpl::cost::delayedWeights(const PipelineShape& shape,
                                                       const ChunkTime& each) {
  const std::uint64_t input = each.backward - each.weight;
  if (shape.microBatches < shape.ranks || each.weight > std::min(each.forward, input))
    return std::nullopt;
  return rankWork(shape, each) + (shape.ranks - 1) * (each.forward + input - each.weight);
}

std::optional<std::uint64_t>
dpl::cost::filledBeginning(const PipelineShape& shape, const ChunkTime& each, std::uint64_t least) {
  if (shape.microBatches < least || !actionsEquallyLong(each))
    return std::nullopt;
  return rankWork(shape, each) + (shape.ranks - 1) * each.forward;
}

void dpl::cost::generateDelayed(std::uint64_t microBatches, std::uint64_t ahead,
                                std::uint64_t delay, ActionList& out) {
  std::uint32_t forwards = 0, weights = 0;
  const auto m = static_cast<std::uint32_t>(microBatches);
  while (forwards < std::min<std::uint64_t>(ahead, m))
    out.push_back({ActionKind::Forward, 0, forwards++});
  for (std::uint32_t i = 0; i < m; ++i) {
    out.push_back({ActionKind::BackwardInput, 0, i});
    if (i >= delay)
      out.push_back({ActionKind::BackwardWeight, 0, weights++});
    if (forwards < m)
      out.push_back({ActionKind::Forward, 0, forwards++});
  }
  while (weights < m)
    out.push_back({ActionKind::BackwardWeight, 0, weights++});
}

namespace {
/// The order of Qi et al., arXiv 2401.10241, appendix B. Forward passes fill the time until the
/// first gradient arrives, as far as memory allows. Then ranks alternate one forward and one
/// backward pass. A weight gradient runs where a rank would otherwise wait longer than it takes, or
/// where memory is full. The heuristic leaves three choices open, and all of them are tried.
class LinearOrder {
public:
  struct LinearChoices {
    bool waitsBeforeFirst, backwardFirst, greedy;
  };
  LinearOrder(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times, std::uint64_t inFlight)
      : p(shape.ranks), m(static_cast<std::uint32_t>(shape.microBatches)),
        most(static_cast<std::int64_t>(inFlight)) {
    for (const ChunkTime& t : times) {
      ranks.emplace_back();
      ranks.back().cost[Forward] = static_cast<std::int64_t>(t.forward);
      ranks.back().cost[Input] = static_cast<std::int64_t>(t.untilGradient());
      ranks.back().cost[Weight] = static_cast<std::int64_t>(t.weight);
      ranks.back().sendForward = static_cast<std::int64_t>(t.sendForward);
      ranks.back().sendBackward = static_cast<std::int64_t>(t.sendBackward);
      for (const std::int64_t cost : ranks.back().cost)
        ranks.back().work += m * cost;
    }
    runs.resize(p);
  }

  /// Returns the longest time of a rank from its first to its last action, including waits. Returns
  /// the largest value if this reaches `enough`, or if a forward pass was delayed until its
  /// backward pass was due, which can happen with unequal ranks.
  std::int64_t run(LinearChoices with, std::int64_t enough, PerRankSchedules& out) {
    longest = longestWait = 0;
    for (std::size_t j = 0; j < p; ++j) {
      LinearRank& r = ranks[j];
      std::fill(std::begin(r.done), std::end(r.done), 0);
      for (auto& ends : r.ends)
        ends.resize(m);
      r.now = r.inFlight = r.waited = 0;
      longest = std::max(longest, r.work);
      out[j].resize(3 * std::size_t{m});
      r.next = out[j].data();
    }
    begin(with.waitsBeforeFirst);
    for (std::uint32_t i = 1; i < m; ++i)
      if (longest >= enough || !round(with))
        return INT64_MAX;
    for (std::size_t j = 0; j < p; ++j)
      while (ranks[j].done[Weight] < m)
        put(j, Weight);
    return longest;
  }

private:
  enum SplitAction { Forward, Input, Weight };
  struct LinearRank {
    std::int64_t cost[3] = {}, sendForward = 0, sendBackward = 0;
    std::uint32_t done[3] = {};
    /// Ends of forward passes and input gradients, by micro-batch.
    std::vector<std::int64_t> ends[2];
    ir::ScheduledAction* next = nullptr; ///< next entry of its schedule
    std::int64_t now = 0, inFlight = 0, waited = 0;
    std::int64_t work = 0; ///< time of all actions
  };

  /// Arrival of the next action's input; 0 if no rank sends it.
  std::int64_t arrives(std::size_t j, SplitAction pass) const {
    if (pass == Forward && j > 0)
      return sent(ranks[j - 1], ranks[j], Forward) + ranks[j - 1].sendForward;
    if (pass == Input && j + 1 < p)
      return sent(ranks[j + 1], ranks[j], Input) + ranks[j + 1].sendBackward;
    return 0;
  }
  /// The time at which `from` has run the next action of `to`; 0 if it has not.
  static std::int64_t sent(const LinearRank& from, const LinearRank& to, SplitAction pass) {
    return to.done[pass] < from.done[pass] ? from.ends[pass][to.done[pass]] : 0;
  }

  void put(std::size_t j, SplitAction pass) {
    static constexpr ActionKind kinds[] = {ActionKind::Forward, ActionKind::BackwardInput,
                                           ActionKind::BackwardWeight};
    LinearRank& r = ranks[j];
    const std::int64_t at = std::max(r.now, arrives(j, pass));
    if (r.done[Forward] > 0) {
      r.waited += at - r.now;
      longestWait = std::max(longestWait, r.waited);
      longest = std::max(longest, r.work + r.waited);
    }
    r.now = at + r.cost[pass];
    if (pass != Weight)
      r.ends[pass][r.done[pass]] = r.now;
    r.inFlight += pass == Forward ? 1 : pass == Weight ? -1 : 0;
    *r.next++ = {kinds[pass], 0, r.done[pass]++};
  }

  bool hasWeight(const LinearRank& r) const { return r.done[Weight] < r.done[Input]; }
  /// Runs weight gradients until the input of the next action arrives.
  void fill(std::size_t j, SplitAction pass, bool greedy) {
    const std::int64_t until = arrives(j, pass);
    LinearRank& r = ranks[j];
    while (hasWeight(r) && r.now + r.cost[Weight] <= until)
      put(j, Weight);
    // A weight gradient that takes longer delays this rank, but not the step if another rank waits
    // longer.
    if (hasWeight(r) && r.now < until && (greedy || until - r.now > longestWait - r.waited))
      put(j, Weight);
  }

  /// Generates the actions up to the first backward pass of each rank.
  void begin(bool waitsBeforeFirst) {
    for (std::size_t j = 0; j < p; ++j)
      put(j, Forward);
    std::vector<std::uint32_t> more(p, 0);
    std::int64_t gradient = ranks[p - 1].now + ranks[p - 1].cost[Input];
    for (std::size_t j = p - 1; j-- > 0;) {
      const LinearRank& r = ranks[j];
      const std::int64_t until = gradient + ranks[j + 1].sendBackward;
      std::int64_t now = r.now;
      for (; r.done[Forward] + more[j] < m && r.inFlight + more[j] + 1 <= most; ++more[j]) {
        if (waitsBeforeFirst ? now + r.cost[Forward] > until : now >= until)
          break;
        now += r.cost[Forward];
      }
      gradient = std::max(now, until) + r.cost[Input];
    }
    for (std::size_t j = 1; j < p; ++j) {
      while (more[j] > 0 && more[j] >= more[j - 1] && ranks[j].done[Forward] + more[j] < m)
        --more[j];
      more[j] = std::min(more[j], more[j - 1]); // not more than the previous rank
    }
    for (std::size_t j = 0; j < p; ++j)
      for (std::uint32_t i = 0; i < more[j]; ++i)
        put(j, Forward);
    for (std::size_t j = p; j-- > 0;)
      put(j, Input);
  }

  /// Whether the rank runs a forward pass in this round. It does not if the next rank has run two
  /// forward passes less and has work until a gradient could return.
  bool runsForward(std::size_t j, bool backwardFirst) const {
    const LinearRank& r = ranks[j];
    if (r.done[Forward] >= m)
      return false;
    if (j + 1 == p || !backwardFirst || r.done[Forward] < ranks[j + 1].done[Forward] + 2)
      return true;
    const LinearRank& after = ranks[j + 1];
    const std::int64_t gradient =
        after.now + after.cost[Forward] + after.cost[Input] + after.sendBackward;
    if (r.now >= gradient)
      return false;
    std::int64_t freed = 0;
    for (std::int64_t held = r.inFlight + 1, left = r.done[Input] - r.done[Weight];
         held > most && left > 0; --held, --left)
      freed += r.cost[Weight];
    return r.now + r.cost[Forward] + freed <= gradient || gradient - r.now > longestWait - r.waited;
  }

  /// Runs one forward pass on ranks that run one in this round, then one backward pass on all
  /// ranks.
  bool round(LinearChoices with) {
    for (std::size_t j = 0; j < p; ++j)
      runs[j] = runsForward(j, with.backwardFirst);
    for (std::size_t j = p - 1; j-- > 0;)
      runs[j] = runs[j] && runs[j + 1];
    for (std::size_t j = 0; j < p; ++j) {
      if (!runs[j])
        continue;
      while (ranks[j].inFlight + 1 > most && hasWeight(ranks[j]))
        put(j, Weight);
      if (j > 0)
        fill(j, Forward, with.greedy);
      put(j, Forward);
    }
    for (std::size_t j = p; j-- > 0;) {
      if (ranks[j].done[Forward] == ranks[j].done[Input])
        return false;
      if (j + 1 < p)
        fill(j, Input, with.greedy);
      while (j == 0 && ranks[j].done[Forward] == m && hasWeight(ranks[j]))
        put(j, Weight);
      put(j, Input);
    }
    return true;
  }

  std::size_t p;
  std::uint32_t m;
  std::int64_t most;
  std::vector<LinearRank> ranks;
  std::vector<char> runs; ///< whether each rank runs a forward pass in this round
  std::int64_t longestWait = 0;
  std::int64_t longest = 0; ///< lower bound of a rank's time
};
} // namespace

void dpl::cost::generateLinear(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times,
                               std::uint64_t inFlight, PerRankSchedules& out) {
  const std::vector<ChunkTime> chunks = timesOrEqual(shape, times);
  LinearOrder order(shape, chunks, inFlight);
  std::int64_t best = INT64_MAX;
  PerRankSchedules schedules(shape.ranks);
  for (const bool waits : {true, false})
    for (const bool backwardFirst : {true, false})
      for (const bool greedy : {true, false}) {
        const std::int64_t longest = order.run({waits, backwardFirst, greedy}, best, schedules);
        if (longest < best)
          best = longest, std::swap(out, schedules);
      }
}
