//===- StudiesOfDataRanksTest.cpp - examples/studies of steps, speeds, delays and failures ----===//
//
// The forms are written here from the literature and share no code with the product.
#include "tests/golden/StudyRows.h"
#include <cmath>
#include <gtest/gtest.h>
using namespace dpl::test;

namespace {
constexpr double ms = 1e-3, hour = 3600;

double harmonic(int n) {
  double sum = 0;
  for (int i = 1; i <= n; ++i)
    sum += 1.0 / i;
  return sum;
}
} // namespace

// 50 ms and an exchange of 100 ms; iterations as factors.
TEST(StudiesOfDataRanks, Modes_TakeWhatTheyWaitFor) {
  const Rows rows("studies/data_ranks", "modes");
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_NEAR(rows.value(0, "thousand"), 150, 1e-6);
  EXPECT_NEAR(rows.value(1, "half_more"), 225, 1e-6);
  EXPECT_NEAR(rows.value(2, "half_more"), 150, 1e-6);
  EXPECT_NEAR(rows.value(3, "half_more"), 75, 1e-6);
  EXPECT_NEAR(rows.value(4, "a_quarter_more"), 75, 1e-6);
  const Rows varying("studies/data_ranks", "varying");
  EXPECT_NEAR(varying.value(0, "thousand"), 178.3, 0.4);
}

TEST(StudiesOfDataRanks, Periods_AverageWhatVariesByItself) {
  const Rows rows("studies/data_ranks", "periods");
  EXPECT_NEAR(rows.value(0, "step_time.mean"), 78.31 * ms, 0.2 * ms);
  EXPECT_NEAR(rows.value(1, "step_time.mean"), 57.9 * ms, 0.2 * ms);
  // Numbers of a hundred steps: ten of them are hardly less.
  EXPECT_NEAR(rows.value(2, "step_time.mean"), 78.31 * ms, 2 * ms);
  EXPECT_NEAR(rows.value(3, "step_time.mean"), 77 * ms, 3 * ms);
  const Rows by("studies/data_ranks", "by_period");
  const double total[] = {150, 108, 90, 93.75, 112.5, 185.9375};
  ASSERT_EQ(by.size(), std::size(total));
  for (std::size_t i = 0; i < std::size(total); ++i)
    EXPECT_NEAR(by.value(i, "total"), total[i], 1e-6);
}

// Rings of 1.28 GB: 12.5 ms over 64 workers with a port of 25.2 GB/s each, 3.7333 over eight at
// 600. Of log-normal times the largest of 64 is 78.31 ms on average, of eight 65.48; what nodes'
// sums add to that falls with √K.
TEST(StudiesOfDataRanks, AveragesInNodes_ExchangeSeldomAndWaitOften) {
  const Rows rows("studies/averages_in_nodes", "periods");
  const double inner = 2 * 7.0 / 8 * 1.28e9 / 600e9;
  ASSERT_EQ(rows.size(), 12U);
  double before = INFINITY;
  for (std::size_t i = 0; i < 6; ++i) {
    const double period = 1 << i, exchanges = (12.5 * ms + (period - 1) * inner) / period;
    EXPECT_NEAR(rows.value(i, "step_time.mean"), 50 * ms + exchanges, 1e-9);
    const double waits = rows.value(6 + i, "step_time.mean") - exchanges;
    EXPECT_LT(waits, before) << period;
    EXPECT_GT(waits, 65.48 * ms) << period;
    before = waits;
  }
  EXPECT_NEAR(rows.value(6, "step_time.mean"), 90.81 * ms, 0.4 * ms);
  // Of 32 maxima of eight, each varying by 8 ms, the largest of eight sums: 1.42·8/√32 more.
  EXPECT_NEAR(before, (65.48 + 1.42 * 8 / std::sqrt(32)) * ms, 0.4 * ms);
  const Rows inside("studies/averages_in_nodes", "inside");
  for (std::size_t i = 1; i < inside.size(); ++i)
    EXPECT_LT(inside.value(i, "step_time.mean"), inside.value(i - 1, "step_time.mean"));
}

// base + c(Hn − Hk); a rank that is always slow sets the rate of every bound.
TEST(StudiesOfDataRanks, BackupsAndBounds_AreTheirOrderStatistics) {
  const Rows backups("studies/data_ranks", "backups");
  const int left[] = {0, 1, 4, 16};
  for (std::size_t i = 0; i < std::size(left); ++i)
    EXPECT_NEAR(backups.value(i, "step_time.mean"),
                10 * ms + 5 * ms * (harmonic(64) - harmonic(left[i])), 0.4 * ms);
  const Rows bounds("studies/data_ranks", "bounds");
  for (std::size_t i = 0; i < bounds.size(); ++i)
    EXPECT_NEAR(bounds.value(i, "step_time.mean"), (i < 4 ? 50 : 100) * ms, 1e-9) << i;
}

TEST(StudiesOfDataRanks, Shares_GainMeanOverLeastSpeed) {
  const Rows shares("studies/unequal_speeds", "shares");
  EXPECT_NEAR(shares.value(0, "step_time.p50"), 133.3333 * ms, 1e-6);
  EXPECT_NEAR(shares.value(1, "step_time.p50"), 100 * ms, 1e-9);
  EXPECT_NEAR(shares.value(2, "step_time.p50"), 100 * ms, 1e-9);
  // Eight of sixteen idle 40 %; what is adapted, in one step of a hundred.
  EXPECT_NEAR(shares.value(0, "simulated.waiting"), 0.2, 1e-9);
  EXPECT_NEAR(shares.value(1, "simulated.waiting"), 0, 1e-9);
  EXPECT_NEAR(shares.value(2, "simulated.waiting"), 0.2 * 133.3333 / (99 * 100 + 133.3333), 1e-6);
  // The mean of mean over least speed, uniform between 0.7 and 1.3: 1.308, 1.361 and 1.410.
  const Rows uniform("studies/unequal_speeds", "uniform");
  const double gains[] = {1.308, 1.361, 1.410};
  for (std::size_t i = 0; i < std::size(gains); ++i)
    EXPECT_NEAR(uniform.value(i, "gain"), gains[i], 0.004) << i;
}

TEST(StudiesOfDataRanks, Delays_AreBestAtTheGap) {
  const Rows rows("studies/pacing", "delays");
  const double coupled[] = {110, 107.5, 105, 102.5, 100, 105},
               alone[] = {100, 100, 100, 100, 100, 105};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(rows.value(i, "step_time.p50"), coupled[i] * ms, 1e-9);
    EXPECT_NEAR(rows.value(6 + i, "step_time.p50"), alone[i] * ms, 1e-9);
  }
  // Of flows: of 60 GB/s who computes has a third beside two flows and needs half, of 90 a third is
  // enough.
  const Rows flows("studies/pacing", "flows");
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(flows.value(i, "step_time.p50"), coupled[i] * ms, 1e-9) << i;
    EXPECT_NEAR(flows.value(6 + i, "step_time.p50"), std::max(100.0, 80 + 5.0 * i) * ms, 1e-9) << i;
  }
  EXPECT_NEAR(Rows("studies/pacing", "feedback").value(0, "step_time.mean"), 100 * ms, 0.5 * ms);
}

// Each kind by its rate, in the form of Daly, 2006, equation 13, and slow devices by the share of
// the time in which there is one.
TEST(StudiesOfDataRanks, Failures_CostTheirShare) {
  const double rates[] = {1000 / 50'000.0, 1000 / 400'000.0, 125 / 25'000.0,  1000 / 200'000.0,
                          5 / 2'000.0,     1 / 1'000.0,      1000 / 500'000.0};
  double all = 0;
  for (const double rate : rates)
    all += rate;
  const double interval = 109 * 60, write = 300, restart = 900 + 300;
  const auto goodput = [&](double perHour, double slow) {
    const double between = hour / perHour, begins = slow * 3;
    return (1 - begins / (1 + begins) / 3) * interval /
           (between * std::exp(restart / between) * std::expm1((interval + write) / between));
  };
  const Rows rows("studies/failures", "without");
  ASSERT_EQ(rows.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    const double slow = i == 6 ? 0 : rates[6];
    EXPECT_NEAR(rows.value(i, "run[train].goodput"), goodput(all - (i < 7 ? rates[i] : 0), slow),
                2e-5)
        << i;
  }
  // Devices, ports, cables and storage leave the memory of nodes, nodes that of others, leaves
  // storage.
  const double light = rates[0] + rates[1] + rates[3] + rates[5], each = 600, waited = 900;
  const Rows tiers("studies/failures", "tiers");
  const double peers[] = {1, 3, 6}, storage[] = {1, 12, 72};
  for (std::size_t i = 0; i < 3; ++i) {
    const double waste =
        2 / each + 10 / (each * peers[i]) +
        (light * (each / 2 + waited + 2) + rates[2] * (each * peers[i] / 2 + waited + 10) +
         rates[4] * (each * storage[i] / 2 + 300 + waited + 300)) /
            hour;
    EXPECT_NEAR(1 / tiers.value(i, "run[train].goodput") - 1, waste, 1e-6) << i;
  }
  // Of 125 nodes 32/1000 fail an hour and are away for 48: a chain of births and deaths.
  const Rows spares("studies/failures", "spares");
  const double taken = rates[0] + rates[1] + rates[2];
  const int standBy[] = {0, 1, 2, 4, 8};
  for (std::size_t i = 0; i < 10; ++i) {
    const double least = i % 2 == 0 ? 125 : 25;
    // One device at a time is slow, for 3 hours, or until the run waits for another node.
    const double slow = i == 0 ? (1 - std::exp(-3 * taken)) / taken : 3;
    const double failing = taken + (i == 0 ? std::exp(-3 * taken) : 1) / (1 / rates[6] + slow);
    double weight = 1, sum = 0, work = 0;
    for (int away = 0;; ++away) {
      // The devices of 125 nodes and of 25 divide the batch of 1000.
      const int there = std::min(125, 125 + standBy[i / 2] - away);
      const double running = there >= 125 ? 125 : 25;
      sum += weight;
      if (there < least)
        break;
      work += weight * running / 125;
      weight *= failing * running / 125 * 48 / (away + 1);
    }
    EXPECT_NEAR(spares.value(i, "run[train].availability"), work / sum, 1e-9) << i;
  }
}

// The examples compare formulas with drawn runs; here the formulas are written out again.
TEST(StudiesOfDataRanks, FailureModels_AreTheirFormulas) {
  const double each = hour, write = 300, restart = 900, between = 10 * hour;
  const Rows shapes("studies/failure_models", "shapes");
  const double shape[] = {0.5, 0.7, 1, 3};
  for (std::size_t i = 0; i < 4; ++i) {
    const double scale = between / std::tgamma(1 + 1 / shape[i]);
    double saved = 0;
    for (int n = 1; n < 1'000'000; ++n)
      saved += std::exp(-std::pow((restart + n * (each + write)) / scale, shape[i]));
    EXPECT_NEAR(shapes.value(i, "run[train].goodput"), each * saved / between, 1e-6) << i;
  }
  const Rows increments("studies/failure_models", "increments");
  const int chains[] = {1, 4, 16};
  for (std::size_t i = 0; i < 3; ++i) {
    double time = 0, stall = 0;
    for (int k = 0; k < chains[i]; ++k) {
      const double blocked = k + 1 == chains[i] ? write : write / 10;
      const double from = restart + k * write / 10;
      stall += blocked / chains[i];
      time += between * std::exp(from / between) * std::expm1((each + blocked) / between);
    }
    EXPECT_NEAR(increments.value(i, "run[train].goodput"), chains[i] * each / time, 1e-6) << i;
    EXPECT_NEAR(increments.value(i, "run[train].checkpoint_stall"), stall, 1e-6) << i;
  }
  const Rows degraded("studies/failure_models", "degraded");
  EXPECT_NEAR(degraded.value(0, "run[slowed].time"), 600'000 + 25 * hour, 60);
}
