//===- PartitionLayersTest.cpp - Layers of each chunk -----------------------------------------===//
//
// Placements named "Megatron" are what get_num_layers_to_build and get_transformer_layer_offset of
// Megatron-Core (core_v0.19.0) give for the same numbers.
#include "passes/PartitionLayers.h"
#include "SamplePlan.h"
#include "cost/partition/LayerSplits.h"
#include "cost/partition/MakeChunks.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace dpl;
using Counts = std::vector<std::uint64_t>;
using Layers =
    std::vector<std::pair<std::uint64_t, std::uint64_t>>; ///< (first layer, layers) a chunk

namespace {

ir::Placement looped(std::uint64_t ranks, std::uint64_t chunks) {
  return {ir::PlacementKind::Looped, ranks, chunks};
}

Layers layersOn(const Counts& layers, std::uint64_t ranks, std::uint64_t rank) {
  Layers found;
  for (const ir::Chunk& chunk :
       cost::makeChunks(test::samplePlan().model, layers, looped(ranks, layers.size() / ranks)))
    if (chunk.rank == rank)
      found.emplace_back(chunk.firstLayer, chunk.layers);
  return found;
}

/// Costs of layers and of both ends of the model on a linear pipeline.
cost::StageCosts costsOf(const Counts& layers, std::uint64_t first, std::uint64_t last,
                         std::uint64_t stages) {
  cost::StageCosts costs;
  costs.placement = {ir::PlacementKind::Linear, stages, 1};
  cost::StageCosts::RankCostSums kind;
  kind.time = {0};
  for (const std::uint64_t time : layers)
    kind.time.push_back(kind.time.back() + time);
  kind.state = kind.saved = kind.restored = Counts(kind.time.size(), 0);
  kind.first.time = first, kind.last.time = last;
  costs.rankCostSums = {kind};
  costs.rankCostSumsOf.assign(stages, 0);
  costs.live = costs.restored = costs.room = costs.message = Counts(stages, 0);
  return costs;
}

std::optional<Counts> balanced(const cost::StageCosts& costs) {
  const std::optional<std::uint64_t> slowest = cost::leastSlowest(costs);
  return slowest ? cost::leastSum(costs, *slowest) : std::nullopt;
}

} // namespace

TEST(PartitionLayers, EvenOverChunks_IsMegatrons) {
  const Counts layers = evenSplit(32, 0, 0, 16);
  EXPECT_EQ(layersOn(layers, 4, 0), (Layers{{0, 2}, {8, 2}, {16, 2}, {24, 2}}));
  EXPECT_EQ(layersOn(layers, 4, 1), (Layers{{2, 2}, {10, 2}, {18, 2}, {26, 2}}));
  EXPECT_EQ(layersOn(layers, 4, 3), (Layers{{6, 2}, {14, 2}, {22, 2}, {30, 2}}));
}

TEST(PartitionLayers, EvenWithEmbeddingAndHeadCounted_IsMegatrons) {
  EXPECT_EQ(evenSplit(30, 1, 1, 4), (Counts{7, 8, 8, 7}));
  EXPECT_EQ(layersOn(evenSplit(30, 1, 1, 4), 4, 3), (Layers{{23, 7}}));
}

TEST(PartitionLayers, AChunkWithoutLayers_IsLegalAsInMegatron) {
  const Counts layers = evenSplit(6, 1, 1, 8);
  EXPECT_EQ(layersOn(layers, 2, 0), (Layers{{0, 0}, {1, 1}, {3, 1}, {5, 1}}));
  EXPECT_EQ(layersOn(layers, 2, 1), (Layers{{0, 1}, {2, 1}, {4, 1}, {6, 0}}));
}

TEST(PartitionLayers, AListAStage_IsMegatronsFirstAndLast) {
  const Counts layers = listedSplit({6, 10, 10, 6}, looped(4, 1));
  EXPECT_EQ(layersOn(layers, 4, 0), (Layers{{0, 6}}));
  EXPECT_EQ(layersOn(layers, 4, 2), (Layers{{16, 10}}));
  EXPECT_EQ(layersOn(layers, 4, 3), (Layers{{26, 6}}));
}

TEST(PartitionLayers, AListAStage_IsDividedOverItsChunks) {
  EXPECT_EQ(listedSplit({4, 8}, looped(2, 2)), (Counts{2, 4, 2, 4}));
}

TEST(PartitionLayers, AListAChunk_IsInTheOrderOfTheModel) {
  // The layout string `E(t*8|)*3t*8,L` on two stages.
  const Counts layers = listedSplit({8, 8, 8, 8}, looped(2, 2));
  EXPECT_EQ(layersOn(layers, 2, 0), (Layers{{0, 8}, {16, 8}}));
  EXPECT_EQ(layersOn(layers, 2, 1), (Layers{{8, 8}, {24, 8}}));
}

TEST(PartitionLayers, AVShapedPlacement_HasBothEndsOnTheFirstRank) {
  const std::vector<ir::Chunk> chunks =
      cost::makeChunks(test::samplePlan().model, {8, 8, 8, 8}, {ir::PlacementKind::VShaped, 2, 2});
  EXPECT_TRUE(chunks[0].embedding && chunks[0].rank == 0);
  EXPECT_TRUE(chunks[3].head && chunks[3].rank == 0 && chunks[3].firstLayer == 24);
}

TEST(PartitionLayers, ABidirectionalPlacement_HoldsTheModelTwice) {
  const std::vector<ir::Chunk> chunks = cost::makeChunks(test::samplePlan().model, {16, 16},
                                                         {ir::PlacementKind::Bidirectional, 2, 2});
  ASSERT_EQ(chunks.size(), 4U);
  EXPECT_TRUE(chunks[0].embedding && chunks[0].rank == 0 && chunks[2].embedding);
  EXPECT_EQ(chunks[2].rank, 1U);
  EXPECT_TRUE(chunks[3].head && chunks[3].rank == 0 && chunks[3].firstLayer == 16);
}

TEST(PartitionLayers, OnePiece_HoldsEverything) {
  EXPECT_EQ(evenSplit(30, 1, 1, 1), (Counts{30}));
  ir::Model model = test::samplePlan().model;
  model.predictionLayers = 1;
  const std::vector<ir::Chunk> chunks = cost::makeChunks(model, {32}, looped(1, 1));
  EXPECT_TRUE(chunks[0].embedding && chunks[0].head);
  EXPECT_EQ(chunks[0].predictionLayers, 1U);
}

TEST(LayerSplits, OfEqualLayers_AreEven) {
  EXPECT_EQ(balanced(costsOf(Counts(12, 1), 0, 0, 4)), (Counts{3, 3, 3, 3}));
}

TEST(LayerSplits, GiveTheStageWithTheHeadFewerLayers) {
  EXPECT_EQ(balanced(costsOf(Counts(14, 1), 0, 2, 4)), (Counts{4, 4, 4, 2}));
}

TEST(LayerSplits, OfTooFewLayers_LeaveTheEndsEmpty) {
  EXPECT_EQ(balanced(costsOf({1, 1}, 1, 1, 4)), (Counts{0, 1, 1, 0}));
}

TEST(LayerSplits, HoldWhatFits) {
  // A layer keeps 10 bytes of each micro-batch; the first stage holds two of them.
  cost::StageCosts costs = costsOf(Counts(6, 1), 0, 0, 2);
  costs.rankCostSums[0].saved = {0, 10, 20, 30, 40, 50, 60};
  costs.live = {2, 1}, costs.room = {40, 60};
  EXPECT_EQ(balanced(costs), (Counts{2, 4}));
  costs.room = {40, 30};
  EXPECT_EQ(balanced(costs), std::nullopt);
  EXPECT_EQ(cost::leastLacking(costs), (Counts{2, 4}));
}
