//===- EventfulRunTest.cpp - Runs whose nodes are away, and whose devices get slow ------------===//
#include "simulate/engine/EventfulRun.h"
#include "cost/run/Availability.h"
#include "cost/run/Checkpoints.h"
#include "tests/unit/DrawnRuns.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::test;
using simulate::EventfulRun;
using simulate::RunTime;

namespace {
/// All numbers of nodes from `least` to `nodes`.
simulate::WorkingNodes from(int least, int nodes) {
  std::vector<double> counts;
  for (int count = least; count <= nodes; ++count)
    counts.push_back(count);
  return simulate::WorkingNodes(counts);
}

/// Work a second of a chain of how many nodes are away, its balance solved as linear equations by
/// elimination. The run works on multiples of `each` nodes.
double byMarkovChain(int nodes, int spares, int least, double failing, double repair,
                     int each = 1) {
  const int last = nodes + spares - least + 1, n = last + 1;
  const auto running = [&](int away) {
    return std::min(nodes, nodes + spares - away) / each * each;
  };
  std::vector<std::vector<double>> rows(n, std::vector<double>(n + 1, 0));
  for (int k = 0; k < n; ++k) {
    const bool works = running(k) >= least;
    const double fails = works ? failing * running(k) / nodes : 0, back = k / repair;
    rows[k][k] -= fails + back;
    if (works)
      rows[k + 1][k] += fails;
    if (k > 0)
      rows[k - 1][k] += back;
  }
  rows[0].assign(n + 1, 1); // the probabilities add up to 1, in the place of one balance
  for (int i = 0; i < n; ++i) {
    int pivot = i;
    for (int j = i; j < n; ++j)
      if (std::abs(rows[j][i]) > std::abs(rows[pivot][i]))
        pivot = j;
    std::swap(rows[i], rows[pivot]);
    for (int j = 0; j < n; ++j)
      if (j != i)
        for (int c = n; c >= i; --c)
          rows[j][c] -= rows[i][c] * rows[j][i] / rows[i][i];
  }
  double work = 0;
  for (int k = 0; k < n; ++k)
    if (running(k) >= least)
      work += rows[k][n] / rows[k][k] * running(k) / nodes;
  return work;
}
} // namespace

TEST(EventfulRun, AvailabilityIsThatOfTheChain) {
  for (const int spares : {0, 1, 4})
    for (const int least : {16, 12, 4})
      for (const double repair : {hour, 24 * hour})
        EXPECT_NEAR(cost::availability({from(least, 16), double(spares), 1 / (10 * hour), repair}),
                    byMarkovChain(16, spares, least, 1 / (10 * hour), repair), 1e-12)
            << spares << " " << least;
}

// On 16, 12, 8 and 4 nodes: of 15 nodes, 3 are idle and do not fail.
TEST(EventfulRun, NodesThatNoLayoutDivides_AreIdle_Slow) {
  const simulate::WorkingNodes working({4, 8, 12, 16});
  EXPECT_EQ(working.of(15), 12);
  EXPECT_EQ(working.of(3), 0);
  for (const int spares : {0, 2}) {
    const double exact = byMarkovChain(16, spares, 4, 1 / (10 * hour), 12 * hour, 4);
    EXPECT_NEAR(cost::availability({working, double(spares), 1 / (10 * hour), 12 * hour}), exact,
                1e-12);
    EventfulRun run;
    run.saved = {60 * day, 2 * minute, 0, 0, 10 * hour, 0};
    run.working = working, run.spares = spares, run.nodeLossShare = 1, run.repair = 12 * hour;
    const simulate::Sample sample = times(drawn(run, 300));
    const double expected =
        run.saved.work * cost::timeOverWork({2 * minute, 0, 0}, {10 * hour, 0}) / exact;
    EXPECT_LE(std::abs(sample.mean() - expected), 3 * sample.standardError() + 2e-3 * expected);
  }
}

// Saved all the time for nothing, so that nodes alone cost time.
TEST(EventfulRun, SparesAndShrinking_AreTheMarkovChain_Slow) {
  for (const int spares : {0, 1, 3})
    for (const int least : {16, 12}) {
      EventfulRun run;
      run.saved = {60 * day, 2 * minute, 0, 0, 10 * hour, 0};
      run.working = from(least, 16), run.spares = spares, run.nodeLossShare = 1,
      run.repair = 12 * hour;
      const simulate::Sample sample = times(drawn(run, 300));
      // A failure loses half of two minutes, which M·(e^{τ/M} − 1)/τ counts.
      const double expected = run.saved.work *
                              cost::timeOverWork({2 * minute, 0, 0}, {10 * hour, 0}) /
                              byMarkovChain(16, spares, least, 1 / (10 * hour), run.repair);
      EXPECT_LE(std::abs(sample.mean() - expected), 3 * sample.standardError() + 2e-3 * expected)
          << spares << " spares, at least " << least;
    }
}

TEST(EventfulRun, WithoutNodesThatLack_IsTheSavedRun) {
  EventfulRun run;
  run.saved = {30 * day, 110 * minute, 5 * minute, 0, 21 * hour, 10 * minute};
  const std::vector<RunTime> runs = drawn(run, 1000);
  for (const RunTime& one : runs)
    ASSERT_EQ(one.slower, 0); // not a rounding of times
  const simulate::Sample sample = times(runs);
  const double exact = run.saved.work * cost::timeOverWork({run.saved.interval, 5 * minute, 0},
                                                           {21 * hour, 10 * minute});
  EXPECT_LE(std::abs(sample.mean() - exact), 3 * sample.standardError());
  run.saved.blocked = 5, run.saved.written = 120;
  const simulate::Sample beside = times(drawn(run, 1000));
  const double first =
      run.saved.work * cost::timeOverWork({run.saved.interval, 5, 120}, {21 * hour, 10 * minute});
  EXPECT_NEAR(beside.mean() / first, 1, 5e-3 + 3 * beside.standardError() / first);
}

// While one of all is slow, work goes on at 1/slowdown; then it fails.
TEST(EventfulRun, ASlowDevice_CostsUntilItIsFound) {
  EventfulRun run;
  run.saved = {90 * day, 60 * minute, 0, 0, never, 0};
  run.slow = 1 / (30 * hour), run.slowdown = 3, run.found = 2 * hour;
  const std::vector<RunTime> runs = drawn(run, 400);
  const double begins = run.slow * run.found, share = begins / (1 + begins) * (1 - 1.0 / 3);
  double slower = 0, all = 0, failures = 0;
  for (const RunTime& one : runs) {
    slower += one.slower, all += one.time, failures += one.failures;
    EXPECT_NEAR(one.time, run.saved.work + one.rework + one.slower, 1e-6 * one.time);
  }
  EXPECT_NEAR(slower / all, share, 0.03 * share);
  EXPECT_NEAR(failures / all, run.slow / (1 + begins), 0.03 * run.slow);
}

// Nodes that are away do not fail, and their devices do not get slow: as often as those that run.
TEST(EventfulRun, OfFewerNodes_FewerGetSlow) {
  EventfulRun run;
  run.saved = {400 * day, 60 * minute, 0, 0, 25 * hour, 0};
  run.working = from(1, 4), run.nodeLossShare = 1, run.repair = 33 * hour;
  run.slow = 1 / (100 * hour), run.slowdown = 1.0001, run.found = 1;
  double away = 0, all = 0, failures = 0;
  for (const RunTime& one : drawn(run, 40))
    all += one.time, failures += one.failures, away += one.slower + one.waiting;
  EXPECT_GT(away / all, 0.25);
  const double both = 1 / run.saved.between + run.slow;
  EXPECT_NEAR(failures / all, both * (1 - away / all), 0.02 * both);
}

TEST(EventfulRun, PartsAddUp) {
  EventfulRun run;
  run.saved = {10 * day, hour, 5 * minute, 0, 10 * hour, 10 * minute};
  run.working = from(6, 8), run.spares = 1, run.nodeLossShare = 0.5, run.repair = day;
  run.slow = 1 / (50 * hour), run.slowdown = 1.5, run.found = hour;
  for (const RunTime& one : drawn(run, 100))
    EXPECT_NEAR(one.time,
                run.saved.work + one.saving + one.rework + one.restarting + one.waiting +
                    one.slower,
                1e-6 * one.time);
}
