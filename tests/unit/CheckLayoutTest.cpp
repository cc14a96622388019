//===- CheckLayoutTest.cpp - Legal and illegal layouts ----------------------------------------===//
#include "PassRunner.h"
#include "SamplePlan.h"
#include <gmock/gmock.h>

using namespace dpl;
using ir::Axis;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

ir::AxisRequest request(Axis axis, std::uint64_t size) {
  ir::AxisRequest r;
  r.axis = axis, r.size = size, r.rest = size == 0;
  return r;
}

ir::Plan withMesh(std::vector<ir::AxisRequest> axes) {
  ir::Plan plan = test::samplePlan();
  plan.layout.mesh.axes = std::move(axes);
  return plan;
}

} // namespace

TEST(ResolveMesh, Rest_IsWhatTheOtherAxesLeave) {
  ir::Plan plan = withMesh({request(Axis::Data, 0), request(Axis::Tensor, 4)});
  EXPECT_THAT(test::checkLayout(plan), IsEmpty());
  EXPECT_EQ(plan.mesh.size(Axis::Data), 4U);
  EXPECT_EQ(plan.mesh.microBatches, 16U);
  ASSERT_EQ(plan.mesh.axes.size(), 5U);
  EXPECT_EQ(plan.mesh.axes[0].axis, Axis::Replica);
  EXPECT_EQ(plan.mesh.axes[1].axis, Axis::Pipeline);
}

TEST(ResolveMesh, RestThatIsNotWhole_IsAnError) {
  ir::Plan plan =
      withMesh({request(Axis::Pipeline, 3), request(Axis::Data, 0), request(Axis::Tensor, 2)});
  EXPECT_THAT(
      test::checkLayout(plan),
      ElementsAre("DPL0303 `data = rest` leaves no whole number: 16 devices over 3 × 2 = 6"));
}

TEST(ResolveMesh, TwoRests_AreAnError) {
  ir::Plan plan = withMesh({request(Axis::Pipeline, 0), request(Axis::Data, 0)});
  EXPECT_THAT(
      test::checkLayout(plan),
      ElementsAre("DPL0304 `rest` is given to 2 axes, only one axis of a grid can have it"));
}

TEST(ResolveMesh, AZero_IsAnError) {
  ir::Plan plan = test::samplePlan();
  plan.layout.mesh.axes[0].size = 0;
  plan.layout.batch = 0;
  EXPECT_THAT(test::checkLayout(plan),
              ElementsAre("DPL0305 `mesh.pipeline` is 0, needed at least 1",
                          "DPL0305 `batch` is 0, needed at least 1"));
}

TEST(CheckLayout, ALegalLayout_SaysNothing) {
  ir::Plan plan = test::samplePlan();
  EXPECT_THAT(test::checkLayout(plan), IsEmpty());
}

TEST(CheckLayout, AMeshOfAnotherSize_IsSaidOnce) {
  // The batch does not divide over 3 either, but that follows.
  ir::Plan plan = withMesh({request(Axis::Data, 3), request(Axis::Tensor, 2)});
  EXPECT_THAT(test::checkLayout(plan),
              ElementsAre("DPL0301 mesh uses 6 devices, cluster `pod` has 16"));
}

TEST(CheckLayout, AnOverflowingMesh_IsNoCrash) {
  const std::uint64_t huge = 1ULL << 40;
  ir::Plan plan = withMesh({request(Axis::Data, huge), request(Axis::Pipeline, huge)});
  EXPECT_THAT(test::checkLayout(plan), testing::Contains(testing::StartsWith("DPL0301 mesh uses")));
}

TEST(CheckLayout, SeveralMistakes_AreAllReported) {
  ir::Plan plan = withMesh({request(Axis::Data, 1), request(Axis::Tensor, 16)});
  plan.model.layerTypes[0].attention.heads = 24;
  plan.model.layerTypes[0].attention.kvHeads = 24;
  plan.model.layerTypes[0].feedForward.width = 1000;
  plan.layout.shard.optimizer = ir::ShardAxis::Tensor;
  EXPECT_THAT(
      test::checkLayout(plan),
      ElementsAre("DPL0311 24 attention heads do not divide over tensor = 16",
                  "DPL0314 a feed-forward layer of width 1000 does not divide over tensor = 16",
                  "DPL0327 `shard.optimizer` is `tensor`, needed `data` or `none`"));
}

TEST(CheckLayout, KeyValueHeads_DivideTheTensorDegreeOrTheOtherWay) {
  ir::Plan plan = withMesh({request(Axis::Data, 1), request(Axis::Tensor, 16)});
  plan.model.layerTypes[0].attention.heads = 48;
  for (const std::uint64_t heads : {1, 2, 8, 16, 48}) {
    plan.model.layerTypes[0].attention.kvHeads = heads;
    EXPECT_THAT(test::checkLayout(plan), IsEmpty()) << heads;
  }
  plan.model.layerTypes[0].attention.kvHeads = 12;
  EXPECT_THAT(test::checkLayout(plan),
              ElementsAre("DPL0312 12 key-value heads and tensor = 16: neither divides the other"));
}

TEST(CheckLayout, ABatchThatDoesNotDivide_ShowsThePass) {
  ir::Plan plan = test::samplePlan();
  plan.layout.batch = 63;
  EXPECT_THAT(test::checkLayout(plan),
              ElementsAre("DPL0318 a batch of 63 sequences is not a multiple of 2"));
}

TEST(CheckLayout, ContextParallelism_NeedsTwoPiecesARank) {
  ir::Plan plan = test::samplePlan();
  plan.model.context = 4098;
  EXPECT_THAT(
      test::checkLayout(plan),
      ElementsAre("DPL0315 a sequence of 4098 tokens does not divide into 2 × 2 = 4 equal parts"));
}

TEST(CheckLayout, SequenceParallelismWithoutATensorAxis_IsAWarning) {
  ir::Plan plan = withMesh({request(Axis::Data, 16)});
  plan.layout.shard.sequence = ir::ShardAxis::Tensor;
  EXPECT_THAT(test::checkLayout(plan), ElementsAre(testing::StartsWith("DPL0317")));
}

TEST(CheckLayout, LayersThatDoNotDivide_NameStagesAndChunks) {
  ir::Plan plan = withMesh({request(Axis::Pipeline, 4), request(Axis::Data, 4)});
  plan.layout.schedule = ir::ScheduleKind::Interleaved;
  plan.layout.chunks = 3;
  EXPECT_THAT(test::checkLayout(plan),
              ElementsAre("DPL0320 32 layers do not divide over 4 stages × 3 chunks = 12"));
}

TEST(CheckLayout, SlotsOfEmbeddingAndHead_Count) {
  ir::Plan plan = withMesh({request(Axis::Pipeline, 2), request(Axis::Data, 8)});
  plan.layout.headSlots = 1;
  EXPECT_THAT(
      test::checkLayout(plan),
      ElementsAre(
          "DPL0320 32 layers + 0 embedding + 1 head = 33 slots do not divide over 2 stages"));
  plan.layout.embeddingSlots = 1;
  EXPECT_THAT(test::checkLayout(plan), IsEmpty());
  plan.layout.embeddingSlots = 27, plan.layout.headSlots = 1;
  EXPECT_THAT(test::checkLayout(plan), IsEmpty());
  plan.layout.embeddingSlots = 39;
  EXPECT_THAT(test::checkLayout(plan),
              ElementsAre("DPL0323 `embedding_slots` is 39, a chunk has 36 slots"));
}

TEST(CheckLayout, AListedSplit_HasTheRightLengthAndSum) {
  ir::Plan plan = withMesh({request(Axis::Pipeline, 2), request(Axis::Data, 8)});
  plan.layout.split = ir::SplitKind::Listed;
  plan.layout.splitLayers = {16, 8, 8};
  EXPECT_THAT(test::checkLayout(plan),
              ElementsAre("DPL0321 `split` lists 3 entries, needed 2 stages"));
  plan.layout.splitLayers = {16, 15};
  EXPECT_THAT(test::checkLayout(plan),
              ElementsAre("DPL0322 `split` places 31 layers, model `llm` has 32"));
  plan.layout.splitLayers = {0, 32};
  EXPECT_THAT(test::checkLayout(plan), IsEmpty());
}

TEST(CheckLayout, Interleaving_WantsMicroBatchesInMultiplesOfTheStages) {
  ir::Plan plan = withMesh({request(Axis::Pipeline, 4), request(Axis::Data, 4)});
  plan.layout.schedule = ir::ScheduleKind::Interleaved;
  plan.layout.chunks = 2;
  EXPECT_THAT(test::checkLayout(plan), IsEmpty());
  plan.layout.batch = 72;
  EXPECT_THAT(
      test::checkLayout(plan),
      ElementsAre("DPL0325 schedule `interleaved_1f1b` over 4 pipeline ranks cannot order 18 "
                  "micro-batches"));
  ir::Plan flat = withMesh({request(Axis::Data, 16)});
  flat.layout.schedule = ir::ScheduleKind::Interleaved;
  flat.layout.chunks = 2;
  EXPECT_THAT(test::checkLayout(flat), ElementsAre(testing::StartsWith("DPL0324")));
}

TEST(CheckLayout, Sharding_BuildsUp) {
  ir::Plan plan = withMesh({request(Axis::Data, 16)});
  plan.layout.shard.parameters = ir::ShardAxis::Data;
  EXPECT_THAT(
      test::checkLayout(plan),
      ElementsAre(testing::StartsWith("DPL0328 `shard.parameters = data` needs `shard.gradients")));
  plan.layout.shard.gradients = plan.layout.shard.optimizer = ir::ShardAxis::Data;
  EXPECT_THAT(test::checkLayout(plan), IsEmpty());
}

TEST(CheckLayout, AnExpertGrid_NeedsExperts) {
  ir::Plan plan = withMesh({request(Axis::Data, 16)});
  plan.layout.mesh.hasExperts = true;
  plan.layout.mesh.experts = {request(Axis::ExpertData, 0), request(Axis::Expert, 8),
                              request(Axis::ExpertTensor, 1)};
  EXPECT_THAT(
      test::checkLayout(plan),
      ElementsAre("DPL0307 `mesh.experts` is given, model `llm` has no layer with experts"));
  ir::FeedForward& ffn = plan.model.layerTypes[0].feedForward;
  ffn.kind = ir::FeedForwardKind::Experts, ffn.experts = 8, ffn.active = 2;
  EXPECT_THAT(test::checkLayout(plan), IsEmpty());
  EXPECT_EQ(plan.mesh.size(Axis::ExpertData), 2U);
  plan.layout.mesh.experts[0] = request(Axis::ExpertData, 1);
  EXPECT_THAT(test::checkLayout(plan),
              ElementsAre("DPL0306 expert grid uses 8 devices, the mesh gives it 16"));
  plan.layout.mesh.experts[0] = request(Axis::ExpertData, 0), plan.layout.mesh.experts[1].size = 16;
  EXPECT_THAT(test::checkLayout(plan),
              ElementsAre("DPL0309 8 experts do not divide over 16 expert ranks"));
}

TEST(CheckLayout, ALayerList_HasNoTensorAxis) {
  ir::Plan plan = withMesh({request(Axis::Data, 8), request(Axis::Tensor, 2)});
  plan.model.kind = "layer_list";
  EXPECT_THAT(test::checkLayout(plan), ElementsAre("DPL0319 `mesh.tensor` is 2, model `llm` is a "
                                                   "layer list, which that axis cannot divide"));
}

TEST(PlaceRanks, TheLastAxis_HasNeighbouringRanks) {
  ir::Plan plan = test::samplePlan();
  EXPECT_THAT(test::placeRanks(plan), IsEmpty());
  EXPECT_EQ(plan.mesh.find(Axis::Tensor)->stride, 1U);
  EXPECT_EQ(plan.mesh.find(Axis::Context)->stride, 2U);
  EXPECT_EQ(plan.mesh.find(Axis::Data)->stride, 4U);
  EXPECT_EQ(plan.mesh.find(Axis::Pipeline)->stride, 8U);
  EXPECT_EQ(plan.mesh.find(Axis::Data)->spans, ir::Level::Node);
  EXPECT_EQ(plan.mesh.find(Axis::Pipeline)->spans, ir::Level::Cluster);
}

TEST(PlaceRanks, Within_KeepsAGroupInOneUnit) {
  ir::Plan plan = withMesh({request(Axis::Tensor, 16)});
  plan.layout.mesh.axes[0].hasWithin = true;
  plan.layout.mesh.axes[0].within = ir::Level::Domain;
  EXPECT_THAT(test::placeRanks(plan),
              ElementsAre("DPL0329 axis `tensor` spans 16 devices, a domain holds 8"));
  plan = withMesh({request(Axis::Data, 2), request(Axis::Tensor, 8)});
  plan.layout.mesh.axes[1].hasWithin = true;
  plan.layout.mesh.axes[1].within = ir::Level::Domain;
  EXPECT_THAT(test::placeRanks(plan), IsEmpty());
}

TEST(PlaceRanks, Across_PutsEachRankIntoAnotherUnit) {
  ir::Plan plan = withMesh({request(Axis::Data, 8), request(Axis::Replica, 2)});
  plan.layout.mesh.axes[1].hasAcross = true;
  plan.layout.mesh.axes[1].across = ir::Level::Node;
  EXPECT_THAT(test::placeRanks(plan),
              ElementsAre("DPL0330 ranks of axis `replica` are 1 device apart, a node holds 8"));
  std::swap(plan.layout.mesh.axes[0], plan.layout.mesh.axes[1]);
  EXPECT_THAT(test::placeRanks(plan), IsEmpty());
}

TEST(PlaceRanks, BothGrids_HaveTheSamePipelines) {
  ir::Plan plan = withMesh({request(Axis::Data, 8), request(Axis::Pipeline, 2)});
  ir::FeedForward& ffn = plan.model.layerTypes[0].feedForward;
  ffn.kind = ir::FeedForwardKind::Experts, ffn.experts = 8, ffn.active = 2;
  plan.layout.mesh.hasExperts = true;
  plan.layout.mesh.experts = {request(Axis::ExpertData, 4), request(Axis::Expert, 2),
                              request(Axis::ExpertTensor, 1)};
  EXPECT_THAT(test::placeRanks(plan), ElementsAre("DPL0331 axis `pipeline` has its ranks 2 devices "
                                                  "apart in the expert grid, 1 in the mesh"));
}
