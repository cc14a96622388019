//===- ColumnLawTest.cpp - The slowest of columns that share a factor, by hand ----------===//
#include "cost/schedules/ColumnLaw.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl::cost;

// Without jitter of its own a column takes 1000 times the factor that its nodes share, log-normal
// of mean 1. The mean of the larger of two of these is 2·Φ(σ/√2) = 1 + erf(σ/2).
TEST(ColumnLaw, OfACommonFactor_IsTheMeanOfItsLargest) {
  JitterLaw law(dpl::ir::Jitter(), 1, 1); // overwritten: one value
  law.values = {1}, law.weights = {1}, law.discrete = true;
  law.zeroth = {1}, law.first = {1}, law.second = {1};
  for (const double sigma : {0.1, 0.3}) {
    ColumnLaw column(law, 1, {});
    column.base = 1000, column.allFast = 500, column.fast = 0.5;
    column.ranks = {{.ranks = 1, .always = 0, .slopes = {1000}}};
    column.common = sigma * sigma;
    EXPECT_NEAR(column.meanOfLargest(1), 1000, 1);
    EXPECT_NEAR(column.meanOfLargest(2), 1000 * (1 + std::erf(sigma / 2)), 2) << sigma;
    column.each = 2; // both share one factor
    EXPECT_NEAR(column.meanOfLargest(2), 1000, 1);
  }
}
