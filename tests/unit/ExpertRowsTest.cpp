//===- ExpertRowsTest.cpp - Rows of tokens that the experts of the busiest rank see -----------===//
#include "cost/compute/LayerCost.h"
#include <gtest/gtest.h>

using namespace dpl::cost;
using namespace dpl::ir;

TEST(ExpertRowsTest, RoutedRows_AreTokensTimesActiveExperts) {
  FeedForward f;
  f.kind = FeedForwardKind::Experts;
  f.experts = 64, f.active = 2;
  Division d;
  d.tokens = 1000, d.expert = 64;
  EXPECT_EQ(expertRows(f, d), 2000);
}

TEST(ExpertRowsTest, AnImbalance_IsOfTheBusiestRank_AndCappedByTheCapacity) {
  FeedForward f;
  f.kind = FeedForwardKind::Experts;
  f.experts = 64, f.active = 2, f.imbalance = 1.5;
  Division d;
  d.tokens = 1000, d.expert = 64;
  EXPECT_EQ(expertRows(f, d), 3000);
  // ⌈1.25 × 31.25⌉ = 40 rows for each of the 64.
  f.capacity = 1.25;
  EXPECT_DOUBLE_EQ(expertRows(f, d), 40 * 64);
  // Of two ranks the busiest has twice the mean at most, which is all rows.
  f.capacity = 0, f.imbalance = 30, d.expert = 2;
  EXPECT_EQ(expertRows(f, d), 4000);
  // A rank that has all experts has all of its own rows.
  d.expert = 1;
  EXPECT_EQ(expertRows(f, d), 2000);
}

TEST(ExpertRowsTest, OfTokensThatChooseByChance_AreTheMedianOfTheBusiestRank) {
  // Three ranks send a token each to one of three experts that are about equally popular. Of the 27
  // ways, 6 give each expert one token, 18 give one expert two, and 3 give it all three.
  FeedForward f;
  f.kind = FeedForwardKind::Experts;
  f.experts = 3, f.active = 1;
  f.popularity = PopularityKind::LogNormal, f.spread = 1e-6;
  Division d;
  d.tokens = 1, d.expert = 3;
  EXPECT_EQ(shareOfBusiest(f, d, 1), 2);
  EXPECT_EQ(expertRows(f, d), 2);
  EXPECT_EQ(shareOfBusiest(f, d, 0), 1);
}

TEST(ExpertRowsTest, ACapacity_DropsWhatAnExpertHasNoRoomFor) {
  FeedForward f;
  f.kind = FeedForwardKind::Experts;
  f.experts = 64, f.active = 2, f.width = 128;
  Division d;
  d.tokens = 1000, d.expert = 64;
  // Even routing brings 2000 / 64 = 31.25 rows; room for more than those changes nothing.
  f.capacity = 1.25;
  EXPECT_EQ(expertRows(f, d), 2000);
  // ⌈0.5 × 31.25⌉ = 16 rows of each rank for each of the 64.
  f.capacity = 0.5;
  EXPECT_DOUBLE_EQ(expertRows(f, d), 16 * 64);
  // Four tensor ranks share the tokens: ⌈0.5 × 500 / 64⌉ = 4.
  d.tensor = 4, d.sequenceParallel = true;
  EXPECT_DOUBLE_EQ(expertRows(f, d), 4 * 64);
  d.expertTensor = 2;
  EXPECT_DOUBLE_EQ(expertRows(f, d), 2 * 4 * 64);
}
