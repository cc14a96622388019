//===- TokenRoutingTest.cpp - How tokens spread over experts, by hand -------------------------===//
#include "support/math/TokenRouting.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace dpl::simulate;

TEST(TokenRouting, OfExpertsThatAreAlike_EachHasItsShare) {
  Draws draws({.seed = 1});
  EXPECT_EQ(drawChances({.experts = 4, .active = 1, .popularity = {}}, draws),
            std::vector<double>(4, 0.25));
  EXPECT_EQ(drawChances({.experts = 8, .active = 6, .popularity = {}}, draws),
            std::vector<double>(8, 0.75));
  EXPECT_EQ(drawChances({.experts = 2, .active = 2, .popularity = {}}, draws),
            std::vector<double>(2, 1));
}

// Of 10 fair coins, E[min(X, 5)] = 5 − Σ (5 − x)·C(10, x)/1024 for x below 5
// = 5 − (5·1 + 4·10 + 3·45 + 2·120 + 1·210)/1024 = 5 − 630/1024.
TEST(TokenRouting, SuccessesUpToABound_HaveTheMeanOfTheirSum) {
  EXPECT_NEAR(expectedUpTo(5, 10, 0.5), 5 - 630.0 / 1024, 1e-12);
  // Up to 1: one less the chance of none. Up to 9: the mean less the chance of ten.
  EXPECT_NEAR(expectedUpTo(1, 10, 0.5), 1 - 1.0 / 1024, 1e-12);
  EXPECT_NEAR(expectedUpTo(9, 10, 0.5), 5 - 1.0 / 1024, 1e-12);
  EXPECT_EQ(expectedUpTo(10, 10, 0.5), 5);
  EXPECT_EQ(expectedUpTo(0, 10, 0.5), 0);
}
