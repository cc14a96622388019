//===- RingOrderTest.cpp - The order of a group's ranks in stated rings -----------------------===//
#include "cost/network/RingOrder.h"
#include "cost/collectives/CollectiveCost.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {
/// Four nodes of four devices, whose rings go through two of them by turns.
Cluster byTurns() {
  Cluster cluster;
  cluster.nodes = 4, cluster.gpusPerNode = 4;
  cluster.network.nodeDevices = 4;
  cluster.network.order = {0, 4, 1, 5, 2, 6, 3, 7};
  return cluster;
}
Group groupOf(std::vector<Stride> strides) {
  Group group;
  group.strides = std::move(strides);
  for (const Stride& s : group.strides)
    group.size *= s.count;
  return group;
}
} // namespace

TEST(RingOrder, OfAGroup_IsThatOfItsDevices) {
  const Cluster cluster = byTurns();
  EXPECT_THAT(ringOrder(groupOf({{16, 1, 16}}), cluster), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  // Every second device: 0, 2 of a node and 4, 6 of the next.
  EXPECT_THAT(ringOrder(groupOf({{8, 2, 16}}), cluster), ElementsAre(0, 2, 1, 3));
  // Tensor ranks stay in their node, where the order is theirs, and so does that of one rank a
  // node.
  EXPECT_THAT(ringOrder(groupOf({{4, 1, 4}}), cluster), IsEmpty());
  EXPECT_THAT(ringOrder(groupOf({{4, 4, 16}}), cluster), IsEmpty());
}

TEST(RingOrder, OfALayoutThatTakesHalfOfANode_LeavesTheOtherHalfOut) {
  Cluster cluster = byTurns();
  cluster.gpusPerNode = 2;
  EXPECT_THAT(ringOrder(groupOf({{8, 1, 8}}), cluster), ElementsAre(0, 2, 1, 3));
}

// Eight hops, of which a ring by turns leaves a node with each, and one in pairs with every second:
// of the rank's 7/8 of the buffer all, a half, or a fourth goes through ports.
TEST(RingOrder, ARingLeavesItsNodes_AsOftenAsItsOrderSays) {
  LinkLevel inside, outside;
  inside.devices = 4, inside.bandwidth = 8 * 600'000'000'000;
  outside.level = Level::Cluster, outside.devices = 8, outside.bandwidth = 8 * 25'000'000'000;
  const std::vector<LinkLevel> levels{inside, outside};
  const std::vector<std::uint64_t> ranks{4, 8};
  const auto of = [&](std::vector<std::uint64_t> order) {
    return costOf(CollectiveKind::AllGather, Algorithm::ListedRing, 8e9, {ranks, {}, order},
                  levels);
  };
  const CollectiveCost turns = of({0, 4, 1, 5, 2, 6, 3, 7}), pairs = of({0, 1, 4, 5, 2, 3, 6, 7}),
                       nodes = of({1, 0, 2, 3, 7, 6, 5, 4});
  EXPECT_NEAR(turns.bytesPerLevel[1], 7e9, 1);
  EXPECT_NEAR(pairs.bytesPerLevel[1], 3.5e9, 1);
  EXPECT_NEAR(nodes.bytesPerLevel[1], 7e9 / 4, 1);
  EXPECT_NEAR(turns.seconds, 7e9 / 25e9, 1e-9);
  EXPECT_NEAR(pairs.seconds, 3.5e9 / 25e9, 1e-9);
  EXPECT_NEAR(nodes.seconds, 7e9 / 4 / 25e9, 1e-9);
  // By node it is the ring of ranks.
  EXPECT_EQ(nodes.seconds,
            costOf(CollectiveKind::AllGather, Algorithm::Ring, 8e9, {ranks}, levels).seconds);
}
