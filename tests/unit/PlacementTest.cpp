//===- PlacementTest.cpp - Which part of the model each pipeline rank holds -------------------===//
#include "ir/Plan.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dpl::ir;
using testing::ElementsAre;
using Place = Placement::ChunkLocation;

namespace {
/// Stages of each chunk of a rank, written out by hand in the tests below.
std::vector<std::uint64_t> stagesOn(const Placement& placement, std::uint64_t rank) {
  std::vector<std::uint64_t> stages;
  for (std::uint64_t chunk = 0; chunk < placement.chunks; ++chunk)
    stages.push_back(placement.stageReplicaOf(rank, chunk).stage);
  return stages;
}
std::vector<std::uint64_t> wayOf(const Placement& placement, Place from) {
  std::vector<std::uint64_t> ranks{from.rank};
  for (auto at = placement.next(from); at; at = placement.next(*at))
    ranks.push_back(at->rank);
  return ranks;
}
const Placement all[] = {{PlacementKind::Linear, 4, 1},        {PlacementKind::Looped, 4, 3},
                         {PlacementKind::VShaped, 4, 2},       {PlacementKind::VShaped, 3, 3},
                         {PlacementKind::Bidirectional, 4, 2}, {PlacementKind::Linear, 1, 1},
                         {PlacementKind::Looped, 1, 2}};
} // namespace

TEST(Placement, Linear_HasOneStageARank) {
  const Placement p{PlacementKind::Linear, 4, 1};
  EXPECT_EQ(p.stages(), 4U);
  EXPECT_THAT(stagesOn(p, 2), ElementsAre(2));
  EXPECT_THAT(wayOf(p, {0, 0}), ElementsAre(0, 1, 2, 3));
}

TEST(Placement, Looped_BeginsEachChunkOnTheFirstRank) {
  const Placement p{PlacementKind::Looped, 4, 2};
  EXPECT_EQ(p.stages(), 8U);
  EXPECT_THAT(stagesOn(p, 1), ElementsAre(1, 5));
  EXPECT_THAT(wayOf(p, {0, 0}), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_EQ(p.rankOf(p.stages() - 1), 3U);
}

TEST(Placement, VShaped_TurnsOnTheLastRankAndEndsOnTheFirst) {
  // ZBV and V-half (arXiv 2405.15362, figure 3): rank 0 holds the first and the last stage.
  const Placement p{PlacementKind::VShaped, 4, 2};
  EXPECT_THAT(stagesOn(p, 0), ElementsAre(0, 7));
  EXPECT_THAT(stagesOn(p, 3), ElementsAre(3, 4));
  EXPECT_THAT(wayOf(p, {0, 0}), ElementsAre(0, 1, 2, 3, 3, 2, 1, 0));
  EXPECT_EQ(p.rankOf(0), p.rankOf(7));
}

TEST(Placement, Bidirectional_HasEachStageOnTwoRanks) {
  // DualPipe (arXiv 2412.19437, figure 5): each rank holds a stage and the one opposite.
  const Placement p{PlacementKind::Bidirectional, 4, 2};
  EXPECT_EQ(p.stages(), 4U);
  EXPECT_THAT(stagesOn(p, 0), ElementsAre(0, 3));
  EXPECT_EQ(p.rankOf(0, 0), 0U);
  EXPECT_EQ(p.rankOf(0, 1), 3U);
  EXPECT_THAT(wayOf(p, {0, 0}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(wayOf(p, {3, 1}), ElementsAre(3, 2, 1, 0));
  // The two directions share the micro-batches by halves.
  EXPECT_TRUE(p.runsMicroBatch(0, 0, 6) && p.runsMicroBatch(0, 2, 6) && p.runsMicroBatch(1, 3, 6) &&
              p.runsMicroBatch(1, 5, 6));
  EXPECT_FALSE(p.runsMicroBatch(1, 0, 6) || p.runsMicroBatch(0, 3, 6));
}

TEST(Placement, EachKind_PutsEveryCopySomewhereOnce) {
  for (const Placement& p : all) {
    std::vector<bool> held(p.stageReplicas(), false);
    for (std::uint64_t rank = 0; rank < p.ranks; ++rank)
      for (std::uint64_t chunk = 0; chunk < p.chunks; ++chunk) {
        const Placement::StageReplica replica = p.stageReplicaOf(rank, chunk);
        EXPECT_EQ(p.locationOf(replica.stage, replica.direction), (Place{rank, chunk}));
        ASSERT_LT(p.indexOf(rank, chunk).index(), held.size());
        EXPECT_FALSE(held[p.indexOf(rank, chunk).index()]);
        held[p.indexOf(rank, chunk).index()] = true;
        if (const auto next = p.next({rank, chunk})) {
          EXPECT_EQ(p.previous(*next), (Place{rank, chunk}));
        } else {
          EXPECT_EQ(replica.stage + 1, p.stages());
        }
      }
  }
}

TEST(Placement, Messages_CrossBetweenRanksOnly) {
  const Placement p{PlacementKind::VShaped, 4, 2};
  const ScheduledAction turn{ActionKind::Forward, 0, 5};
  EXPECT_FALSE(messageFrom(p, 3, turn)); // the next stage is on the same rank
  const auto onward = messageFrom(p, 2, {ActionKind::Forward, 1, 5});
  ASSERT_TRUE(onward);
  EXPECT_EQ(onward->to, (Place{1, 1}));
  const auto gradient = messageInto(p, 2, {ActionKind::BackwardInput, 1, 5});
  ASSERT_TRUE(gradient);
  EXPECT_EQ(gradient->from, (Place{1, 1}));
  EXPECT_FALSE(gradient->forward);
  EXPECT_FALSE(messageInto(p, 2, {ActionKind::BackwardWeight, 1, 5}));
}
