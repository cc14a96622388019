//===- ThrottlingTest.cpp - Who is early and lets the others pass -----------------------------===//
//
// The first is done at c, the last a gap behind it, and computes κ times longer while the first
// communicates: T(δ) = c + δ + κ·max(0, gap − δ). With gaps of distribution G it is least where
// G(δ) = 1 − 1/κ; of exponential ones of mean µ at µ·ln κ, with c + µ(ln κ + 1).
#include "simulate/engine/Throttling.h"
#include "simulate/engine/Shares.h"
#include "support/math/Random.h"
#include "support/math/Statistics.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace dpl;
using simulate::ThrottledGroup;
using simulate::Throttling;

namespace {
constexpr double fast = 80, gap = 20;

using Steps = std::vector<std::vector<double>>;
Steps exponentialGaps(std::uint32_t n) {
  Steps out;
  for (std::uint32_t i = 0; i < n; ++i) {
    simulate::Draws draws({3, 0, 0, i});
    out.push_back({fast, fast - gap * std::log(draws.uniform())});
  }
  return out;
}
/// Behind the first step, in which nobody knows who is early.
double steady(const Throttling& throttling, std::vector<double> alone) {
  ThrottledGroup group(throttling);
  double last = 0;
  for (int i = 0; i < 5; ++i)
    last = group.step(alone);
  return last;
}
} // namespace

TEST(Throttling, OfAFixedGap_IsBestAtIt) {
  const double steps[] = {110, 107.5, 105, 102.5, 100, 105};
  for (int i = 0; i < 6; ++i) {
    EXPECT_DOUBLE_EQ(steady({1.5, 5.0 * i, 0}, {fast, fast + gap}), steps[i]);
    EXPECT_DOUBLE_EQ(steady({1.5, 5.0 * i, 0}, {fast + gap, fast}), steps[i]);
  }
  EXPECT_NEAR(simulate::bestDelay({1.5, 0, 0}, Steps(200, {fast, fast + gap})), gap, 1e-3);
}

// A step ends with the last group: a delay that the first gains by holds up the second, whose
// others are as early, and one that gains there by twice as much is best.
TEST(Throttling, OfSeveralGroups_IsByTheLast) {
  const Steps near(50, {fast, fast + gap}), far(50, {fast, fast + 2 * gap});
  EXPECT_NEAR(simulate::bestDelay({1.5, 0, 0}, {near, far}), 2 * gap, 1e-3);
  const double first = fast + 2 * gap * 1.5; // in which nobody knows who is early
  EXPECT_NEAR(simulate::meanStep({1.5, 2 * gap, 0}, {near, far}),
              (first + 49 * (fast + 2 * gap)) / 50, 1e-9);
}

// Of a bus of 60 a worker that computes moves 30, and beside the two flows of one that communicates
// 20: 1.5 times longer. Of 90 it has its 30 all the same.
TEST(Throttling, OnABus_CouplingFollowsFromFlows) {
  constexpr double ps = 1e6; // times are whole
  const auto onBus = [](double capacity, std::uint32_t flows, double delay) {
    return Throttling{1, delay, 0, simulate::BusLoad{capacity, 30, flows}};
  };
  for (int i = 0; i < 6; ++i) {
    const double declared = steady({1.5, 5 * ps * i, 0}, {fast * ps, (fast + gap) * ps});
    EXPECT_NEAR(steady(onBus(60, 2, 5 * ps * i), {fast * ps, (fast + gap) * ps}), declared, 2);
  }
  for (const auto& [capacity, flows, kappa] :
       {std::tuple(60.0, 2U, 1.5), {60.0, 5U, 3.0}, {90.0, 2U, 1.0}, {60.0, 1U, 1.0}}) {
    ThrottledGroup group(onBus(capacity, flows, 0));
    group.step({fast * ps, (fast + gap) * ps});
    EXPECT_NEAR(group.coupling(), kappa, 1e-6) << capacity << " " << flows;
  }
  // Of four, each that is through takes more of it: 30 of 120, 24, 120/9, 0.
  ThrottledGroup four({1, 0, 0, simulate::BusLoad{120, 30, 4}});
  const double last = four.step({80 * ps, 100 * ps, 100 * ps, 100 * ps});
  EXPECT_NEAR(last, (80 + 20 * 30 / (120 / 7.0)) * ps, 2); // three compute beside four flows
  EXPECT_NEAR(four.coupling(), 30 * 7 / 120.0, 1e-6);
}

TEST(Throttling, WithoutCoupling_IsLoss) {
  for (const double delay : {0.0, 5.0, 15.0, 20.0, 30.0})
    EXPECT_DOUBLE_EQ(steady({1, delay, 0}, {fast, fast + gap}), std::max(100.0, fast + delay));
  EXPECT_EQ(simulate::bestDelay({1, 0, 0}, exponentialGaps(2000)), 0);
  ThrottledGroup policy({1, 8, 4});
  for (const std::vector<double>& alone : exponentialGaps(2000))
    policy.step(alone);
  EXPECT_EQ(policy.lastDelay(), 0);
}

TEST(Throttling, OfExponentialGaps_IsBestWhereOneInKappaIsLonger_Slow) {
  const Steps steps = exponentialGaps(200'000);
  const double wanted = gap * std::log(1.5);
  EXPECT_NEAR(wanted, 8.109, 1e-3);
  std::vector<double> each;
  ThrottledGroup group({1.5, wanted, 0});
  for (const std::vector<double>& alone : steps)
    each.push_back(group.step(alone));
  const simulate::Sample sample(std::move(each));
  EXPECT_LE(std::abs(sample.mean() - 108.109), 3 * sample.standardError() + 1e-3);
  EXPECT_NEAR(simulate::meanStep({1.5, 0, 0}, steps), 110, 3 * 30 / std::sqrt(2e5));
  EXPECT_NEAR(simulate::bestDelay({1.5, 0, 0}, steps), wanted, 0.3);
}

// What it saw moves it there; what that cost beside the best fixed delay is its regret.
TEST(Throttling, ByWhatWasSeen_ComesNearTheBest) {
  const Steps steps = exponentialGaps(100'000);
  ThrottledGroup policy({1.5, 0, 10});
  double sum = 0;
  for (const std::vector<double>& alone : steps)
    sum += policy.step(alone);
  EXPECT_NEAR(policy.lastDelay(), gap * std::log(1.5), 1.0);
  const double mean = sum / static_cast<double>(steps.size()),
               best = simulate::meanStep({1.5, gap * std::log(1.5), 0}, steps);
  EXPECT_GT(mean, best - 1e-3);
  EXPECT_NEAR(mean, best, 0.02);
}

TEST(Shares, AreWholeAndByLargestRemainder) {
  using testing::ElementsAre;
  EXPECT_THAT(simulate::deal(32, {1.0, 0.7, 1.3}), ElementsAre(11, 7, 14));
  EXPECT_THAT(simulate::deal(16, {200, 120, 200, 120}), ElementsAre(5, 3, 5, 3));
  EXPECT_THAT(simulate::deal(3, {1e-9, 1, 1}), ElementsAre(1, 1, 1));
  EXPECT_THAT(simulate::deal(5, {1e-9, 1e-9, 1}), ElementsAre(1, 1, 3));
  EXPECT_THAT(simulate::deal(4, {1, 1, 1, 1e9}), ElementsAre(1, 1, 1, 1));
}
