//===- ZeroBubbleVTimed.cpp - ZB-V ordered by action times ------------------------------------===//
//
// Qi et al., arXiv 2401.10241, section 6, with their heuristic (github.com/sail-sg/
// zero-bubble-pipeline-parallelism 39f2c18, zbv.py). All ranks alternate a backward and a forward
// pass. Where a rank would wait, a pending weight gradient runs. Times are medians over the ranks.
#include "cost/schedules/ZeroBubble.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <deque>

using namespace dpl::cost;
using dpl::ir::ActionKind;

namespace {
ScheduleRule legal(const PipelineShape& shape) {
  return shape.ranks == 1 ? ScheduleRule::NeedsPipeline : ScheduleRule::Legal;
}

enum VAction { Forward, Input, Weight };
/// Direction of an action: the input of `Down` comes from the previous rank, that of `Up` from the
/// next.
enum Way { Down, Up };

class VOrder {
public:
  VOrder(std::size_t ranks, std::uint32_t microBatches, const std::int64_t (&costs)[3],
         std::int64_t send)
      : p(ranks), m(microBatches), send(send), most(2 * static_cast<std::int64_t>(ranks)),
        ranks(ranks) {
    std::copy(std::begin(costs), std::end(costs), cost);
  }

  /// The result of a run. `allowed` are the waits of an earlier order, which ranks may use again.
  struct TimedOrder {
    PerRankSchedules schedules;
    std::vector<std::int64_t> waits;
    std::int64_t longest = INT64_MAX;
  };
  TimedOrder run(bool fillsForward, bool fillsInput, const std::vector<std::int64_t>& allowed) {
    for (VRank& r : ranks)
      r = VRank();
    allowedWaits = &allowed;
    schedules.assign(p, {});
    begin();
    for (std::uint32_t turn = 0; turn < 2 * m; ++turn) {
      inputs(fillsInput);
      forwards(fillsForward);
    }
    TimedOrder out;
    for (std::size_t i = 0; i < p; ++i) {
      while (!ranks[i].due.empty())
        weight(i);
      out.waits.push_back(ranks[i].waited);
    }
    out.longest = longestWait();
    out.schedules = std::move(schedules);
    return out;
  }

private:
  struct VRank {
    /// Ends of forward passes and input gradients, by direction and micro-batch.
    std::vector<std::int64_t> ends[2][2];
    std::deque<Way> due; ///< pending weight gradients
    std::uint32_t weights[2] = {};
    std::int64_t now = 0, inFlight = 0, waited = 0;
    std::uint32_t done(VAction pass, Way way) const {
      return static_cast<std::uint32_t>(ends[pass][way].size());
    }
  };

  bool isEnd(std::size_t i, Way way) const { return way == Down ? i == 0 : i + 1 == p; }
  /// Arrival of the next action's message; nothing if no rank sends it, or has not sent it yet.
  std::optional<std::int64_t> arrives(std::size_t i, VAction pass, Way way) const {
    if (isEnd(i, way))
      return std::nullopt;
    const auto& sent = ranks[way == Down ? i - 1 : i + 1].ends[pass][way];
    const std::uint32_t next = ranks[i].done(pass, way);
    return next < sent.size() ? std::optional(sent[next] + send) : std::nullopt;
  }
  std::int64_t longestWait() const {
    std::int64_t longest = 0;
    for (const VRank& r : ranks)
      longest = std::max(longest, r.waited);
    return longest;
  }
  /// Time that a rank may still wait without waiting longest.
  std::int64_t slack(std::size_t i) const {
    std::int64_t longest = longestWait();
    if (!allowedWaits->empty())
      longest = std::max(longest, *std::max_element(allowedWaits->begin(), allowedWaits->end()) -
                                      (*allowedWaits)[i]);
    return longest - ranks[i].waited;
  }

  void put(std::size_t i, VAction pass, Way way) {
    VRank& r = ranks[i];
    std::int64_t end = r.now + cost[pass];
    if (const auto at = arrives(i, pass, way))
      end = std::max(end, *at + cost[pass]);
    if (r.done(Forward, Down) > 0)
      r.waited += end - cost[pass] - r.now;
    r.now = end;
    r.inFlight += pass == Forward ? 1 : 0;
    // Down is the first chunk in the forward pass and the second one in the backward pass.
    const auto chunk = static_cast<std::uint16_t>((way == Up) != (pass == Input) ? 1 : 0);
    schedules[i].push_back({pass == Forward ? ActionKind::Forward : ActionKind::BackwardInput,
                            chunk, r.done(pass, way)});
    r.ends[pass][way].push_back(end);
    if (pass == Input)
      r.due.push_back(way);
  }
  void weight(std::size_t i) {
    VRank& r = ranks[i];
    const Way way = r.due.front();
    r.due.pop_front();
    r.now += cost[Weight];
    --r.inFlight;
    schedules[i].push_back({ActionKind::BackwardWeight,
                            static_cast<std::uint16_t>(way == Up ? 0 : 1), r.weights[way]++});
  }
  /// Runs weight gradients until the message of the next action arrives.
  void fill(std::size_t i, VAction pass, Way way, bool delays) {
    const auto at = arrives(i, pass, way);
    VRank& r = ranks[i];
    while (!r.due.empty() && at && *at >= r.now + cost[Weight])
      weight(i);
    if (!r.due.empty() && at && *at - r.now > slack(i) && delays)
      weight(i);
  }

  /// Runs forward passes until the first backward pass.
  void begin() {
    for (std::size_t i = 0; i < p; ++i)
      put(i, Forward, Down);
    for (std::size_t i = p; i-- > 0;) {
      if (i + 1 < p) {
        const std::int64_t until = ranks[i + 1].ends[Forward][Up].front() + send;
        while (ranks[i].inFlight + 2 + 2 * static_cast<std::int64_t>(i) <= most &&
               ranks[i].now + cost[Forward] <= until && ranks[i].done(Forward, Down) < m)
          for (std::size_t j = 0; j <= i; ++j)
            if (ranks[j].done(Forward, Down) < m)
              put(j, Forward, Down);
      }
      put(i, Forward, Up);
    }
    Way way = Down;
    for (std::size_t i = 1; i < p; ++i) {
      const auto behind = [&] {
        const VRank &r = ranks[i], &before = ranks[i - 1];
        const std::uint32_t up = r.done(Forward, Up), upBefore = before.done(Forward, Up);
        return r.done(Forward, Down) + up < before.done(Forward, Down) + upBefore ||
               (up <= upBefore && upBefore < m);
      };
      for (; behind(); way = way == Down ? Up : Down)
        for (std::size_t j = p; j-- > i;)
          if (ranks[j].done(Forward, way) < m)
            put(j, Forward, way);
    }
  }

  void inputs(bool fills) {
    std::vector<std::size_t> up, down;
    for (std::size_t i = 0; i < p; ++i) {
      const VRank& r = ranks[i];
      const bool none = r.done(Input, Up) >= r.done(Input, Down);
      if (!none && (i + 1 == p || arrives(i, Input, Up) || r.done(Input, Down) >= m))
        up.push_back(i);
      else
        down.push_back(i);
    }
    for (const std::size_t i : llvm::reverse(up)) {
      fill(i, Input, Up, true);
      put(i, Input, Up);
    }
    for (const std::size_t i : down) {
      if (ranks[i].done(Input, Down) >= m)
        continue;
      fill(i, Input, Down, fills);
      put(i, Input, Down);
    }
  }

  void forwards(bool fills) {
    for (std::size_t i = 0; i < p; ++i) {
      const VRank& r = ranks[i];
      if (r.done(Forward, Up) >= m)
        continue;
      Way way = Up;
      if (r.done(Forward, Up) >= r.done(Forward, Down))
        way = Down;
      else if (i + 1 < p && !arrives(i, Forward, Up)) {
        if (r.done(Forward, Down) >= m || (i > 0 && !arrives(i, Forward, Down)))
          continue;
        way = Down;
      }
      while (r.inFlight + 1 > most && !r.due.empty())
        weight(i);
      fill(i, Forward, way, fills);
      put(i, Forward, way);
    }
  }

  std::size_t p;
  std::uint32_t m;
  std::int64_t cost[3] = {}, send, most;
  std::vector<VRank> ranks;
  PerRankSchedules schedules;
  const std::vector<std::int64_t>* allowedWaits = nullptr;
};

/// The median over ranks of the mean over their chunks.
template <class Of>
std::int64_t median(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> times, const Of& of) {
  const dpl::ir::Placement placement = shape.placement();
  std::vector<std::uint64_t> means;
  const auto at = [&](std::uint64_t rank, std::uint64_t chunk) {
    return of(times[placement.indexOf(rank, chunk).index()]);
  };
  for (std::uint64_t rank = 0; rank < shape.ranks; ++rank)
    means.push_back((at(rank, 0) + at(rank, 1)) / 2);
  std::sort(means.begin(), means.end());
  return static_cast<std::int64_t>(means[means.size() / 2]);
}

void generateAll(const PipelineShape& shape, llvm::ArrayRef<ChunkTime> given, MakespanOf,
                 PerRankSchedules& out) {
  const std::vector<ChunkTime> times = timesOrEqual(shape, given);
  const auto of = [&](auto what) { return median(shape, times, what); };
  const std::int64_t costs[3] = {of([](const ChunkTime& t) { return t.forward; }),
                                 of([](const ChunkTime& t) { return t.untilGradient(); }),
                                 of([](const ChunkTime& t) { return t.weight; })};
  std::int64_t send = 0;
  for (const ChunkTime& t : times)
    send = std::max({send, static_cast<std::int64_t>(t.sendForward),
                     static_cast<std::int64_t>(t.sendBackward)});
  VOrder order(shape.ranks, static_cast<std::uint32_t>(shape.microBatches), costs, send);
  std::int64_t best = INT64_MAX;
  for (const bool fillsInput : {true, false})
    for (const bool fillsForward : {true, false}) {
      VOrder::TimedOrder found = order.run(fillsForward, fillsInput, {});
      for (;;) { // the next order may use the waits of this one
        VOrder::TimedOrder next = order.run(fillsForward, fillsInput, found.waits);
        if (next.longest >= found.longest)
          break;
        found = std::move(next);
      }
      if (found.longest < best)
        best = found.longest, out = std::move(found.schedules);
    }
}
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  return filledBeginning(shape, each, 2 * shape.ranks - 1);
}
} // namespace

const ScheduleInfo dpl::cost::ZeroBubbleVTimedSchedule{.summary =
                                                           "ZB-V, ordered by what passes take",
                                                       .backward = BackwardSplit::Split,
                                                       .legal = legal,
                                                       .generateAll = generateAll,
                                                       .byTime = true,
                                                       .exchanges = prefetchedReceives,
                                                       .equalStages = equalStages};
