//===- VerifyTest.cpp - The verifier finds what is broken -------------------------------------===//
#include "PassRunner.h"
#include "SamplePlan.h"
#include "cost/execution/Proof.h"
#include "cost/execution/RankSchedules.h"
#include "cost/partition/MakeChunks.h"
#include "passes/BuildGroups.h"
#include "passes/PartitionLayers.h"
#include <gmock/gmock.h>

using namespace dpl;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// A list with times that follow one another.
void addList(ir::Plan& plan, std::uint64_t rank, cost::ActionList list) {
  ir::RankSchedule schedule{rank, std::move(list), {}, {}, 0};
  schedule.duration.assign(schedule.actions.size(), 1);
  for (std::size_t i = 0; i < schedule.actions.size(); ++i)
    schedule.start.push_back(i);
  plan.schedule.push_back(std::move(schedule));
}

/// The sample with mesh, groups, chunks and a 1F1B schedule.
ir::Plan placed() {
  ir::Plan plan = test::samplePlan();
  plan.layout.batch = 8;
  EXPECT_THAT(test::placeRanks(plan), IsEmpty());
  plan.placement = {ir::PlacementKind::Linear, 2, 1};
  plan.groups = buildGroups(plan.mesh, plan.placement, plan.cluster);
  plan.chunks = cost::makeChunks(plan.model, evenSplit(32, 0, 0, 2), plan.placement);
  const cost::PipelineShape shape{ir::ScheduleKind::OneForwardOneBackward, 2, 1,
                                  plan.mesh.microBatches};
  const cost::PerRankSchedules lists = cost::perRankSchedules(shape);
  for (std::uint64_t rank = 0; rank < 2; ++rank)
    addList(plan, rank, lists[rank]);
  return plan;
}

std::string whatHangs(const ir::Plan& plan) { return cost::whatBreaks(plan); }

} // namespace

TEST(Verify, AFrontEndPlan_IsSound) { EXPECT_THAT(ir::verify(test::samplePlan()), IsEmpty()); }

TEST(Verify, APlacedPlan_IsSound) { EXPECT_THAT(ir::verify(placed()), IsEmpty()); }

TEST(Verify, PipelineRanksThatNoNodeHolds_AreFound) {
  ir::Plan plan = placed();
  plan.mesh.rankNodeTypes = {{0, 1, {0}}};
  EXPECT_THAT(ir::verify(plan), ElementsAre("1 of 2 pipeline ranks are held"));
  plan.mesh.rankNodeTypes = {{0, 2, {1}}};
  EXPECT_THAT(ir::verify(plan), ElementsAre("pipeline rank 0 is held by class 1 of 1"));
}

TEST(Verify, AMirroredGroupAsFarApartAsItsPeriod_IsFound) {
  ir::Plan plan = placed();
  ir::Group& group = plan.groups[0];
  group.size = 2, group.strides = {{2, 4, 4, true}};
  EXPECT_THAT(ir::verify(plan), testing::Contains(testing::HasSubstr("mirrors 2 ranks 4 apart")));
}

TEST(Verify, ClassesThatDoNotAddUp_AreFound) {
  ir::Plan plan = test::samplePlan();
  plan.cluster.nodeTypes[0].nodes = 3;
  EXPECT_THAT(ir::verify(plan), ElementsAre("classes hold 3 nodes, the cluster 2"));
}

TEST(Verify, LevelsThatDoNotGrow_AreFound) {
  ir::Plan plan = test::samplePlan();
  plan.cluster.levels[1].devices = 8;
  EXPECT_THAT(ir::verify(plan), testing::Contains(testing::HasSubstr("no more than the 8")));
}

TEST(Verify, AWrongStride_IsFound) {
  ir::Plan plan = placed();
  plan.mesh.axes.back().stride = 2;
  EXPECT_THAT(ir::verify(plan),
              ElementsAre("axis tensor of the mesh has stride 2, its place gives 1"));
}

TEST(Verify, ALayerPlacedTwice_IsFound) {
  ir::Plan plan = placed();
  plan.chunks[1].firstLayer = 15;
  EXPECT_THAT(ir::verify(plan),
              ElementsAre("chunk 1 begins at layer 15, the one before ends at 16"));
}

TEST(Verify, AMicroBatchLeftOut_IsFound) {
  ir::Plan plan = placed();
  auto& actions = plan.schedule[0].actions;
  actions.erase(std::find_if(actions.begin(), actions.end(), [](const ir::ScheduledAction& op) {
    return op.kind == ir::ActionKind::Backward;
  }));
  plan.schedule[0].start.pop_back();
  plan.schedule[0].duration.pop_back();
  EXPECT_THAT(ir::verify(plan),
              ElementsAre("rank 0 runs micro-batch 0 of chunk 0 1 times forward and 0 backward"));
}

TEST(Verify, AnOperationWithoutItsTime_IsFound) {
  ir::Plan plan = placed();
  plan.schedule[0].start.pop_back();
  EXPECT_THAT(ir::verify(plan), testing::Contains(testing::HasSubstr("operations and times of")));
}

TEST(Verify, AProvenSchedule_IsSound) { EXPECT_EQ(whatHangs(placed()), ""); }

TEST(Verify, RanksThatWaitForOneAnother_AreFound) {
  ir::Plan plan = placed();
  // The first rank wants its first gradient before it has computed anything.
  auto& actions = plan.schedule[0].actions;
  std::rotate(actions.begin(), actions.begin() + 2, actions.begin() + 3);
  EXPECT_EQ(whatHangs(plan),
            "rank 0 waits for the gradient of micro-batch 0 from rank 1, which waits for the "
            "activation of micro-batch 0 from rank 0");
}

TEST(Verify, MessagesReceivedInAnotherOrder_AreFound) {
  ir::Plan plan = placed();
  auto& actions = plan.schedule[0].actions; // forward 0, forward 1, backward 0, …
  std::swap(actions[0], actions[1]);
  EXPECT_EQ(whatHangs(plan), "rank 0 sends the activation of micro-batch 1 where rank 1 receives "
                             "the activation of micro-batch 0");
}

TEST(Verify, AGroupOutsideTheWorld_IsFound) {
  ir::Plan plan = placed();
  plan.groups[0].groups = 100;
  EXPECT_THAT(ir::verify(plan), testing::Contains(testing::HasSubstr("exceed the 16 devices")));
}

TEST(Verify, AnAssertionThatUsesALaterNode_IsFound) {
  ir::Plan plan = test::samplePlan();
  ir::Assertion a;
  a.source = "x";
  a.nodes.resize(1);
  a.nodes[0].operation = ir::Operation::Not;
  a.nodes[0].operands = {0};
  plan.assertions = {a};
  EXPECT_THAT(ir::verify(plan),
              ElementsAre("node 0 of an assertion uses node 0, which follows it"));
}

TEST(Verify, ADimensionThatIsNone_IsFound) {
  ir::Plan plan = test::samplePlan();
  ir::Assertion a;
  a.nodes.resize(1);
  a.nodes[0].number = "1", a.nodes[0].dimension = "energy a token";
  plan.assertions = {a};
  ir::Space space;
  space.name = "scale";
  space.derived = {{"spare", "bytes", {}}};
  plan.spaces = {space};
  EXPECT_THAT(ir::verify(plan),
              ElementsAre("node 0 of an assertion has a dimension `energy a token` that is none",
                          "`spare` of `scale` has a dimension `bytes` that is none"));
}
