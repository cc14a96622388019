//===- FailureTimesTest.cpp - Times between failures, and the rate of degraded runs
//---------------===//
#include "support/math/FailureTimes.h"
#include "support/math/Statistics.h"
#include "support/math/WorkRate.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace dpl::simulate;

TEST(FailureTimes, LogGamma_IsThatOfTheLibrary) {
  for (double x = 0.05; x < 30; x *= 1.17)
    EXPECT_NEAR(logGamma(x), std::lgamma(x), 1e-12 * std::max(1.0, std::fabs(std::lgamma(x)))) << x;
}

TEST(FailureTimes, MeanAndSurvival_AreThoseOfTheShape) {
  for (const double shape : {0.7, 1.0, 2.5}) {
    const FailureTimes times(40, shape);
    const double scale = 40 / std::tgamma(1 + 1 / shape);
    EXPECT_NEAR(times.survival(25), std::exp(-std::pow(25 / scale, shape)), 1e-12);
    Draws draws({3, 0, 0, 0});
    std::vector<double> drawn;
    std::size_t longer = 0;
    for (int i = 0; i < 40'000; ++i)
      drawn.push_back(times.draw(draws)), longer += drawn.back() > 25 ? 1 : 0;
    const Sample sample(std::move(drawn));
    EXPECT_LE(std::fabs(sample.mean() - 40), 3.5 * sample.standardError()) << shape;
    EXPECT_NEAR(static_cast<double>(longer) / 40'000, times.survival(25), 0.01) << shape;
  }
}

TEST(FailureTimes, WithoutFailures_NothingHappens) {
  const double never = std::numeric_limits<double>::infinity();
  Draws draws({3, 0, 0, 0});
  EXPECT_EQ(FailureTimes(never, 0.7).draw(draws), never);
  EXPECT_EQ(FailureTimes(never, 0.7).survival(1e9), 1);
}

TEST(WorkRate, TimeAndWork_AreInverse) {
  const WorkRate rate(
      {{10, 20, 0.5}, {20, 30, 0.25}, {50, std::numeric_limits<double>::infinity(), 0.8}});
  EXPECT_EQ(rate.timeFor(12, 0), 14);
  EXPECT_EQ(rate.timeFor(10, 10), 10 + 10 + 2.5);
  EXPECT_EQ(rate.workIn(30, 0), 10 + 5 + 2.5);
  EXPECT_EQ(rate.at(19), 0.5);
  EXPECT_EQ(rate.at(20), 0.25);
  EXPECT_EQ(rate.changesAfter(20), 30);
  for (const double work : {1.0, 13.0, 40.0, 900.0})
    for (const double now : {0.0, 15.0, 60.0})
      EXPECT_NEAR(rate.workIn(rate.timeFor(work, now), now), work, 1e-9) << work << " " << now;
}
