//===- CollectiveTest.cpp - Collectives: steps, times, bytes ----------------------------------===//
#include "cost/CostModel.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr double ms = 1e-3, MB = 1e6, GB = 1e9;

/// A cluster of levels given as (devices, bytes/s a device, latency in us) and a group of
/// consecutive ranks that fills the outermost.
struct Fabric {
  Cluster cluster;
  std::vector<std::uint64_t> inside;
  Fabric(std::initializer_list<std::array<double, 3>> levels) {
    for (const auto& [devices, bandwidth, latency] : levels) {
      LinkLevel level;
      level.devices = static_cast<std::uint64_t>(devices);
      level.bandwidth = static_cast<std::uint64_t>(std::llround(8 * bandwidth));
      level.latency = static_cast<std::uint64_t>(std::llround(latency * 1e6));
      cluster.levels.push_back(level);
      inside.push_back(level.devices);
    }
  }
  GroupShape shape() const { return {inside}; }
  double time(CollectiveKind kind, Algorithm algorithm, double bytes) const {
    return costOf(kind, algorithm, bytes, shape(), cluster.levels).seconds;
  }
};
} // namespace

TEST(CollectiveTest, Hierarchy_ReducesAShardInsideBeforeItLeavesTheNode) {
  // 3 nodes of 4: every rank's shard of the inner phase is reduced across nodes with its peers.
  const std::vector<std::uint64_t> inside = {4, 12};
  const Phases phases = phasesOf(CollectiveKind::AllReduce, Algorithm::Hierarchical, {inside});
  ASSERT_EQ(phases.size(), 4U);
  EXPECT_EQ(phases[0].pattern, &ringReduceScatter);
  EXPECT_EQ(phases[0].ranks, 4U);
  EXPECT_EQ(phases[1].ranks, 3U);
  EXPECT_DOUBLE_EQ(phases[1].share, 0.25);
  EXPECT_EQ(phases[1].stride, 4U);
  EXPECT_EQ(phases[2].pattern, &ringAllGather);
  EXPECT_EQ(phases[2].level, 1U);
  EXPECT_EQ(phases[3].level, 0U);
}

// Bytes sent per rank: all-reduce 2(n−1)/n·d, reduce-scatter and all-gather (n−1)/n·d. The ring
// meets this lower bound.
TEST(CollectiveTest, Ring_MeetsTheBandwidthBound) {
  const Fabric f{{8, 50 * GB, 1}};
  EXPECT_NEAR(
      costOf(CollectiveKind::AllReduce, Algorithm::Ring, 100 * MB, f.shape(), f.cluster.levels)
          .bytesPerLevel[0],
      175 * MB, 1);
  EXPECT_NEAR(
      costOf(CollectiveKind::AllGather, Algorithm::Ring, 100 * MB, f.shape(), f.cluster.levels)
          .bytesPerLevel[0],
      87.5 * MB, 1);
}

TEST(CollectiveTest, FlatTimes_AreTheClosedForms) {
  // 2(n−1)(a + d/(nB)), 256 ranks, 700 MB, 50 GB/s.
  EXPECT_NEAR(
      (Fabric{{256, 50 * GB, 1}}.time(CollectiveKind::AllReduce, Algorithm::Ring, 700 * MB)),
      28.400625 * ms, 1e-9);
  const Fabric slow{{256, 50 * GB, 10}};
  EXPECT_NEAR(slow.time(CollectiveKind::AllReduce, Algorithm::Ring, 700 * MB), 32.990625 * ms,
              1e-9);
  // 2⌈log2 n⌉(a + d/B), unsegmented.
  EXPECT_NEAR(slow.time(CollectiveKind::AllReduce, Algorithm::Tree, 700 * MB), 224.16 * ms, 1e-9);
  // (n−1)(a + d/(nB)).
  EXPECT_NEAR(
      (Fabric{{8, 600 * GB, 1}}.time(CollectiveKind::ReduceScatter, Algorithm::Ring, 700 * MB)),
      1.02783333333 * ms, 1e-9);
  // a + (n−1)/n·d/B.
  EXPECT_NEAR(
      (Fabric{{256, 25 * GB, 5}}.time(CollectiveKind::AllToAll, Algorithm::Direct, 8.192 * MB)),
      0.3314 * ms, 1e-9);
  // A stage boundary: 2048 tokens × 12288 × 2 B at 25 GB/s and 10 us.
  LinkLevel link;
  link.bandwidth = 200'000'000'000, link.latency = 10'000'000;
  EXPECT_NEAR(messageTime(2048.0 * 12288 * 2, link), 2.02326592 * ms, 1e-9);
}

TEST(CollectiveTest, RingAndTree_CrossWhereTheFormulaSays) {
  // d* = aB(2(n−1) − 2⌈log2 n⌉)/(2⌈log2 n⌉ − 2(n−1)/n).
  const double crossing = 17.6330172895 * MB;
  const Fabric f{{256, 50 * GB, 10}};
  for (double side : {0.99, 1.01}) {
    const double byRing = f.time(CollectiveKind::AllReduce, Algorithm::Ring, side * crossing);
    const double byTree = f.time(CollectiveKind::AllReduce, Algorithm::Tree, side * crossing);
    EXPECT_EQ(byTree < byRing, side < 1);
  }
}

TEST(CollectiveTest, Hierarchy_SumsOverItsLevels) {
  // 2(g−1)(a_i + d/(gB_i)) + 2(M−1)a_e + 2(M−1)/M·d/(kB_e): 32 nodes × 8, 600 and 25 GB/s, 1 and 10
  // us.
  const Fabric eightPorts{{8, 600 * GB, 1}, {256, 25 * GB, 10}};
  EXPECT_NEAR(eightPorts.time(CollectiveKind::AllReduce, Algorithm::Hierarchical, 700 * MB),
              9.45691666667 * ms, 1e-9);
  // One port a node is an eighth of it a device.
  const Fabric onePort{{8, 600 * GB, 1}, {256, 25.0 / 8 * GB, 10}};
  EXPECT_NEAR(onePort.time(CollectiveKind::AllReduce, Algorithm::Hierarchical, 700 * MB),
              56.9256666667 * ms, 1e-9);
  // Parallel rings, one through each port: 2(n−1)a + 2(n−1)/n·d/(kB).
  EXPECT_NEAR(eightPorts.time(CollectiveKind::AllReduce, Algorithm::Ring, 700 * MB),
              12.07265625 * ms, 1e-9);
  // One device a node is the flat ring.
  const Fabric single{{1, 600 * GB, 1}, {256, 25 * GB, 10}};
  EXPECT_NEAR(single.time(CollectiveKind::AllReduce, Algorithm::Hierarchical, 700 * MB),
              60.88125 * ms, 1e-9);
  EXPECT_NEAR(single.time(CollectiveKind::AllReduce, Algorithm::Ring, 700 * MB), 60.88125 * ms,
              1e-9);
}

TEST(CollectiveTest, BytesThatLeaveNodes_AreThoseOfARingThatCrossesEachBoundaryOnce) {
  // 64 ranks, 8 a node, in units of the message: ring 2(N−1)/N·M = 15.75, hierarchy 14, scattered
  // 126.
  const Fabric f{{8, 600 * GB, 1}, {64, 25 * GB, 10}};
  const auto leaving = [&](Algorithm a, const GroupShape& shape) {
    return 64 * costOf(CollectiveKind::AllReduce, a, 1, shape, f.cluster.levels).bytesPerLevel[1];
  };
  EXPECT_NEAR(leaving(Algorithm::Ring, f.shape()), 15.75, 1e-9);
  EXPECT_NEAR(leaving(Algorithm::Hierarchical, f.shape()), 14, 1e-9);
  const std::vector<std::uint64_t> scattered = {1, 64};
  EXPECT_NEAR(leaving(Algorithm::Ring, {scattered}), 126, 1e-9);
  // One 12.5 GB/s port a node, latency 0: 15.75 ms contiguous, 126 ms scattered.
  const Fabric port{{8, 600 * GB, 0}, {64, 12.5 / 8 * GB, 0}};
  EXPECT_NEAR(port.time(CollectiveKind::AllReduce, Algorithm::Ring, 100 * MB), 15.75 * ms, 1e-9);
  EXPECT_NEAR(
      costOf(CollectiveKind::AllReduce, Algorithm::Ring, 100 * MB, {scattered}, port.cluster.levels)
          .seconds,
      126 * ms, 1e-9);
}

TEST(CollectiveTest, Taper_CostsOnlyTrafficThatCrossesIt) {
  Fabric f{{8, 600 * GB, 0}, {64, 25 * GB, 0}};
  const double before = f.time(CollectiveKind::AllReduce, Algorithm::Hierarchical, 700 * MB);
  f.cluster.levels[1].oversubscription = 4;
  const double after = f.time(CollectiveKind::AllReduce, Algorithm::Hierarchical, 700 * MB);
  EXPECT_NEAR(after - before, 3 * 2 * 7.0 / 8 * 700 * MB / 8 / (25 * GB), 1e-9);
}

TEST(CollectiveTest, GroupOfOne_CostsNothing) {
  const Fabric f{{1, 450 * GB, 2}};
  EXPECT_EQ(collectiveCost(CollectiveKind::AllReduce, 1e9, f.shape(), f.cluster.levels).seconds, 0);
}
