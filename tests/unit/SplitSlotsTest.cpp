//===- SplitSlotsTest.cpp - Layers beside embedding and loss, dealt to stages by hand ---------===//
#include "cost/legality/Legality.h"
#include "passes/FlopSplit.h"
#include "tests/unit/SamplePlan.h"
#include <gtest/gtest.h>

using namespace dpl;

// 31 layers and a slot for the loss are 32 places, 8 of each of 4 stages; 31 are dealt to no 4.
TEST(SplitSlots, OfTheLoss_CountAsLayers) {
  const ir::Plan plan = test::samplePlan();
  cost::LegalityInputs facts(plan.model, plan.cluster, plan.layout);
  facts.split = ir::SplitKind::Even, facts.layers = 31, facts.embeddingSlots = 0;
  facts.schedule.chunks = 1;
  facts.headSlots = 1;
  EXPECT_EQ(cost::brokenBySplit(facts, 4), cost::LegalityRule::None);
  facts.headSlots = 0;
  EXPECT_EQ(cost::brokenBySplit(facts, 4), cost::LegalityRule::Layers);
  facts.layers = 30, facts.headSlots = facts.embeddingSlots = 1;
  EXPECT_EQ(cost::brokenBySplit(facts, 4), cost::LegalityRule::None);
}

// An embedding of 2 beside layers of 1: 2 + 1 and 3, not 2 + 2 and 2. A loss of 2 is the mirror
// image.
TEST(SplitSlots, OfFlop_EvenOutWhatTheEndsCost) {
  EXPECT_EQ(flopSplit({1, 1, 1, 1}, 2, 0, {1, 1}), (std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(flopSplit({1, 1, 1, 1}, 0, 2, {1, 1}), (std::vector<std::uint64_t>{3, 1}));
  EXPECT_EQ(flopSplit({1, 1, 1, 1}, 0, 0, {1, 1}), (std::vector<std::uint64_t>{2, 2}));
  EXPECT_EQ(flopSplit({1, 1, 1, 1}, 0, 0, {1, 0.3}), (std::vector<std::uint64_t>{3, 1}));
}
