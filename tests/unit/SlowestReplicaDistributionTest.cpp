//===- SlowestReplicaDistributionTest.cpp - The slowest of many columns, by hand --------------===//
#include "cost/execution/SlowestReplicaDistribution.h"
#include "cost/execution/OrderStatistics.h"
#include "tests/unit/Jitters.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl::cost;

// A column of one rank is as slow as its device, so the slowest of n columns is the slowest of n
// devices, also where a device in 10^9 decides, and whatever the unit of time.
TEST(SlowestReplicaDistribution, OfOneRank_IsTheSlowestOfAsManyDevices) {
  const dpl::ir::Jitter jitter = dpl::test::jitter(dpl::ir::JitterKind::LogNormal, 0.1);
  const SlowestDeviceDistribution law(jitter, 1, 1);
  for (const double base : {1.0, 1e9}) {
    SlowestReplicaDistribution column(law, 1, {2});
    column.base = base, column.allFast = base / 2, column.fast = 0.5;
    column.ranks = {{.ranks = 1, .always = 0, .slopes = {base}}};
    for (const double columns : {1.0, 100.0, 1e4, 1e6, 1e8, 1e10})
      EXPECT_NEAR(column.meanOfLargest(columns) / base,
                  dpl::cost::barrierAmplification(jitter, columns, 1), 0.005)
          << columns << " columns of " << base << " ps";
  }
}

// Where each of 100 ranks adds the part of its own factor, the time of a column is their sum:
// nearly normal, with a tenth of the relative deviation. The largest of 1,000 normal draws is on
// average 3.2414 deviations above the mean (half of the mean range of L. H. C. Tippett, Biometrika
// 17, 1925), the largest of a million 4.8629 (∫ 1 − Φ(x)^n dx above 0 less ∫ Φ(x)^n dx below it).
TEST(SlowestReplicaDistribution, OfRanksThatAddUp_IsTheLargestOfNormalSums) {
  constexpr double cv = 0.01;
  const SlowestDeviceDistribution law(dpl::test::jitter(dpl::ir::JitterKind::LogNormal, cv), 1, 1);
  SlowestReplicaDistribution column(law, 1, {2});
  column.base = 1e9, column.allFast = 0.5e9, column.fast = 0.5;
  column.ranks = {{.ranks = 100, .always = 1e7, .slopes = {0}}};
  EXPECT_NEAR(column.meanOfLargest(1) / 1e9, 1, 1e-4);
  EXPECT_NEAR(column.meanOfLargest(1e3) / 1e9, 1 + 3.2414 * cv / 10, 1e-4);
  EXPECT_NEAR(column.meanOfLargest(1e6) / 1e9, 1 + 4.8629 * cv / 10, 1e-4);
}

// The mean of one column of one rank is the step at the mean factor, also where a few factors are
// thousands of times the mean.
TEST(SlowestReplicaDistribution, OfHeavyTails_HasTheMeanOfAColumn) {
  for (const double shape : {2.1, 2.5, 4.0}) {
    const SlowestDeviceDistribution law(dpl::test::jitter(dpl::ir::JitterKind::Pareto, shape), 1,
                                        1);
    SlowestReplicaDistribution column(law, 1, {2});
    column.base = 1e9, column.allFast = 0.4e9, column.fast = 0.4;
    column.ranks = {{.ranks = 1, .always = 0.25e9, .slopes = {0.75e9}}};
    EXPECT_NEAR(column.meanOfLargest(1) / 1e9, 1, 0.01) << shape;
  }
}
