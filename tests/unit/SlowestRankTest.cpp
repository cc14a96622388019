//===- SlowestRankTest.cpp - Who is slow in a step, and in most of them -----------------------===//
#include "simulate/plan/SlowestRank.h"
#include <gtest/gtest.h>

using namespace dpl::simulation;

TEST(SlowestRank, OfAStep_IsTheOneThatTakesLongest_ByAPercent) {
  EXPECT_EQ(longestOf({1, 1.2, 0.8}), 1U);
  EXPECT_EQ(longestOf({1.2, 1, 1.1, 0.7}), 0U);
  EXPECT_FALSE(longestOf({1.2, 1.2, 0.6})); // two
  EXPECT_FALSE(longestOf({1.005, 0.995}));
  EXPECT_FALSE(longestOf({1, 1, 1}));
  EXPECT_EQ(longestOf({1.2, 1.2, 0.6, 1.3}), 3U);
}

TEST(SlowestRank, OfManySteps_IsOneThatIsItMoreOftenThanByChance) {
  std::vector<std::optional<std::uint32_t>> steps(20, 2);
  const std::optional<MostFrequent> always = mostOften(4, steps);
  ASSERT_TRUE(always);
  EXPECT_EQ(always->index, 2U);
  EXPECT_EQ(always->share, 1);
  for (std::uint32_t i = 0; i < steps.size(); ++i)
    steps[i] = i % 4;
  EXPECT_FALSE(mostOften(4, steps)); // a quarter each
  for (std::optional<std::uint32_t>& step : steps)
    step.reset();
  steps[7] = 1;
  EXPECT_FALSE(mostOften(4, steps)); // nobody but for once
}
