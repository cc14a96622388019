//===- SteadyStateTest.cpp - Steps without a flush, run for long ------------------------------===//
#include "cost/execution/SteadyState.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// ps of one rank.
struct Times {
  std::uint64_t forward = 0, backward = 0, sendForward = 0, sendBackward = 0;
  std::uint64_t reduced = 0; ///< behind the last backward of a step, on the data stream
};

/// Ranks with these times, and an update of the same length on each.
struct Pipeline {
  Plan plan;
  std::vector<ChunkStep> chunks;
  std::vector<std::uint64_t> reduced; ///< by rank
  std::uint64_t microBatches, update;
  SteadyState steady;

  Pipeline(const std::vector<Times>& times, std::uint64_t m, std::uint64_t ofUpdate = 0,
           bool overlapped = true, const std::vector<std::uint64_t>& costs = {})
      : microBatches(m), update(ofUpdate) {
    plan.layout.microBatchCosts = costs;
    plan.placement.ranks = times.size();
    plan.mesh.rankNodeTypes = {{0, times.size(), {}}};
    plan.layout.setsUpdateTime = true, plan.layout.update = update;
    plan.layout.overlap.pipeline = overlapped;
    for (std::size_t rank = 0; rank < times.size(); ++rank) {
      const Times& t = times[rank];
      ChunkStep chunk;
      setClocks(chunk, MicroBatchCosts(costs), [&](CostRatio cost) {
        ChunkClocks clocks;
        clocks.forward = lasts(cost.of(t.forward)), clocks.backward = lasts(cost.of(t.backward));
        const ActionTime last = lasts(cost.of(t.backward), t.reduced);
        clocks.backward.last = last.last, clocks.backward.only = last.only;
        return clocks;
      });
      chunk.time.sendForward = t.sendForward, chunk.time.sendBackward = t.sendBackward;
      reduced.push_back(t.reduced);
      chunks.push_back(chunk);
      plan.chunks.push_back({rank, 0, rank, 1});
    }
  }
  std::uint64_t period() {
    const std::vector<std::vector<Device>> held(1);
    return steady.run(plan, microBatches, chunks, held);
  }

private:
  static ActionTime lasts(std::uint64_t ps, std::uint64_t reduced = 0) {
    const auto time = static_cast<std::int64_t>(ps);
    ProgramTime body;
    body.outputsReady = body.computation = {time, Delay::never};
    if (reduced > 0)
      body.data = {time + static_cast<std::int64_t>(reduced), 0};
    return {body, body, body, body};
  }
};

/// ps of a step on average, when each rank runs its passes of so many steps as soon as it can: an
/// account of its own, pass by pass from the first one on.
double measured(const Pipeline& of, std::uint64_t steps) {
  const std::uint64_t ranks = of.chunks.size(), m = of.microBatches, all = steps * m;
  constexpr std::uint64_t never = UINT64_MAX;
  const MicroBatchCosts costs(of.plan.layout.microBatchCosts);
  struct Rank {
    std::vector<std::uint64_t> forwardIn, backwardIn; // when what a pass needs is there
    std::uint64_t clock = 0, forwards = 0, backwards = 0, freeOn = 0, freeBack = 0;
  };
  std::vector<Rank> state(ranks);
  for (std::uint64_t r = 0; r < ranks; ++r) {
    state[r].forwardIn.assign(all, r == 0 ? 0 : never);
    state[r].backwardIn.assign(all, r + 1 == ranks ? 0 : never);
  }
  std::vector<std::uint64_t> ends; // of rank 0's steps
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint64_t r = 0; r < ranks; ++r) {
      Rank& me = state[r];
      const ChunkStep& chunk = of.chunks[r];
      const bool forward = me.forwards < all && me.forwards < me.backwards + ranks - r;
      const std::uint64_t i = forward ? me.forwards : me.backwards;
      if (i == all || (forward ? me.forwardIn : me.backwardIn)[i] == never)
        continue;
      moved = true;
      me.clock = std::max(me.clock, (forward ? me.forwardIn : me.backwardIn)[i]) +
                 costs.of(i % m).of(forward ? chunk.time.forward : chunk.time.backward);
      const std::uint64_t done = me.clock;
      ++(forward ? me.forwards : me.backwards);
      if (forward ? r + 1 < ranks : r > 0) {
        std::uint64_t& free = forward ? me.freeOn : me.freeBack;
        free =
            std::max(free, me.clock) + (forward ? chunk.time.sendForward : chunk.time.sendBackward);
        (forward ? state[r + 1].forwardIn : state[r - 1].backwardIn)[i] = free;
        if (!of.plan.layout.overlap.pipeline)
          me.clock = free;
      }
      if (!forward && me.backwards % m == 0) {
        me.clock = std::max(me.clock, done + of.reduced[r]) + of.update;
        if (r == 0)
          ends.push_back(me.clock);
      }
    }
  }
  // The first half fills the pipeline, and the last steps have no forwards beside them.
  const std::size_t from = ends.size() / 2, to = ends.size() - ranks - 1;
  return static_cast<double>(ends[to] - ends[from]) / static_cast<double>(to - from);
}
} // namespace

TEST(SteadyState, EqualStagesWithoutMessages_AreNeverIdle) {
  for (const std::uint64_t p : {2U, 3U, 8U})
    for (const std::uint64_t m : {1U, 2U, 7U, 16U}) {
      Pipeline of(std::vector<Times>(p, {10, 20, 0, 0}), m, 7);
      // The update of a rank holds up the others' as much as its own.
      EXPECT_EQ(of.period(), m * 30 + 7) << p << ' ' << m;
      Pipeline alone(std::vector<Times>(p, {10, 20, 0, 0}), m);
      const ChunkTime each{10, 20, 0, 0};
      EXPECT_EQ(alone.period(),
                PipeDreamSchedule.equalStages({ScheduleKind::PipeDream, p, 1, m}, each));
    }
}

TEST(SteadyState, Messages_LengthenTheLongestWayThereAndBack) {
  // Through all p ranks and back, p(F + B) + 2(p − 1)c, in which the first one begins p.
  Pipeline four(std::vector<Times>(4, {1000, 2000, 100, 100}), 8);
  EXPECT_EQ(four.period(), 8 * 3150U);
  Pipeline two(std::vector<Times>(2, {1000, 2000, 100, 100}), 1);
  EXPECT_EQ(two.period(), 3100U);
  // A link cannot carry more than it has time for.
  Pipeline slow({{10, 20, 500, 0}, {10, 20, 0, 0}}, 4);
  EXPECT_EQ(slow.period(), 4 * 500U);
}

TEST(SteadyState, Reductions_RunWhileTheLastMessageIsOnItsWay) {
  // The last rank waits 50 for its message after 100 + 200: a reduction of 30 shows nothing, one of
  // 80 what is more. The way there and back takes 2 (100 + 200 + 50) in two periods.
  for (const auto& [reduced, period] : {std::pair(30U, 350U), {80U, 380U}}) {
    Pipeline of({{100, 200, 50, 0}, {100, 200, 0, 50, reduced}}, 1, 0, false);
    EXPECT_EQ(of.period(), period) << reduced;
  }
}

TEST(SteadyState, ThePeriod_IsWhatManyStepsTake) {
  std::uint64_t state = 7;
  const auto draw = [&](std::uint64_t most) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % most;
  };
  for (unsigned i = 0; i < 400; ++i) {
    const std::uint64_t p = 2 + draw(6), m = 1 + draw(12);
    std::vector<Times> times;
    for (std::uint64_t r = 0; r < p; ++r)
      times.push_back(
          {100 + draw(900), 100 + draw(1900), draw(600), draw(600), draw(2) * draw(900)});
    std::vector<std::uint64_t> costs; // of half of them unequal
    for (std::uint64_t k = draw(2) * m; k > 0; --k)
      costs.push_back(1 + draw(5));
    Pipeline of(times, m, draw(3) == 0 ? draw(2000) : 0, draw(3) > 0, costs);
    // Rounded up to whole ps; what is not yet steady is spread over half of the steps.
    const double found = static_cast<double>(of.period());
    EXPECT_NEAR(measured(of, 600), found, 1 + 0.002 * found) << i << ": " << p << ' ' << m;
  }
}

TEST(SteadyState, EachPass_BeginsWhenItsMessageIsThere) {
  const std::vector<Times> times = {
      {130, 250, 40, 0}, {100, 210, 90, 20}, {170, 330, 10, 70}, {90, 160, 0, 35}};
  for (const std::uint64_t m : {1U, 2U, 3U, 9U}) {
    Pipeline of(times, m, 55);
    const std::uint64_t period = of.period();
    std::uint64_t first = UINT64_MAX;
    for (std::uint64_t r = 0; r < 4; ++r)
      for (std::uint32_t i = 0; i < m; ++i) {
        const ScheduledAction forward{ActionKind::Forward, 0, i},
            backward{ActionKind::Backward, 0, i};
        first = std::min(first, of.steady.start(r, forward));
        EXPECT_GE(of.steady.start(r, backward), of.steady.end(r, forward));
        const auto there = [&](const ScheduledAction& action, std::uint64_t from,
                               std::uint64_t message) {
          EXPECT_GE(of.steady.start(r, action), of.steady.end(from, action) + message);
        };
        if (r > 0)
          there(forward, r - 1, times[r - 1].sendForward);
        if (r < 3)
          there(backward, r + 1, times[r + 1].sendBackward);
      }
    EXPECT_EQ(first, 0U);
    EXPECT_GE(period, m * 500U + 55);
  }
}

TEST(SteadyState, WeightVersions_AreThoseOfThePapers) {
  const auto versions = [](std::uint64_t ranks, std::uint64_t m) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t rank = 0; rank < ranks; ++rank)
      all.push_back(weightVersions({ScheduleKind::PipeDream, ranks, 1, m}, rank));
    return all;
  };
  using Versions = std::vector<std::uint64_t>;
  EXPECT_EQ(versions(4, 1), (Versions{4, 3, 2, 1})); // arXiv 1806.03377, section 3.3
  EXPECT_EQ(versions(4, 3), (Versions{2, 2, 2, 1})); // arXiv 2006.09503: two
  EXPECT_EQ(versions(4, 32), (Versions{2, 2, 2, 1}));
  EXPECT_EQ(versions(8, 2), (Versions{5, 4, 4, 3, 3, 2, 2, 1}));
  EXPECT_EQ(weightVersions({ScheduleKind::OneForwardOneBackward, 4, 1, 8}, 0), 1U);
}
