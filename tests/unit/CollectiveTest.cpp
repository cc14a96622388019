//===- CollectiveTest.cpp - Collectives: steps, times, bytes ----------------------------------===//
#include "cost/collectives/CollectiveCost.h"
#include <cmath>
#include <gtest/gtest.h>
#include <set>

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
  // 2⌈log2 n⌉a + 2(n−1)/n·d/B.
  EXPECT_NEAR(slow.time(CollectiveKind::AllReduce, Algorithm::HalvingDoubling, 700 * MB),
              28.050625 * ms, 1e-9);
  const Fabric odd{{57, 50 * GB, 10}};
  EXPECT_NEAR(odd.time(CollectiveKind::AllReduce, Algorithm::HalvingDoubling, 700 * MB),
              12 * 0.01 * ms + 56.0 / 57 * 28 * ms, 1e-9);
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

namespace {
/// Nodes of 8 H100 as the library has them: 450 GB/s a device, of which rings reach 0.81 and sums
/// in the switch 0.69, and 400 Gb/s ports, of which large collectives reach 0.97.
struct H100 {
  Cluster cluster;
  std::vector<std::uint64_t> inside;
  H100(std::uint64_t ranks, std::uint64_t nodes, double latency) {
    LinkLevel node{.level = Level::Node,
                   .devices = 8,
                   .bandwidth = 3'600'000'000'000,
                   .efficiency = 0.81,
                   .inSwitch = 0.69,
                   .library = CollectiveLibrary::Nccl};
    cluster.levels = {node};
    inside = {ranks / nodes};
    if (nodes == 1)
      return;
    cluster.levels.push_back({.level = Level::Cluster,
                              .devices = 8 * nodes,
                              .bandwidth = 400'000'000'000,
                              .latency = static_cast<std::uint64_t>(latency * 1e6),
                              .efficiency = 0.97,
                              .library = CollectiveLibrary::Nccl});
    inside.push_back(ranks);
  }
  CollectiveCost allReduce(double bytes) const {
    return collectiveCost(CollectiveKind::AllReduce, bytes, {inside}, cluster.levels);
  }
};
constexpr double us = 1e-6, KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;
} // namespace

// Of NCCL's tuner: LL takes 6.6 us and 0.6 us for each of 14 hops.
TEST(CollectiveTest, Nccl_SmallMessagesTakeTheHopsOfLL) {
  const CollectiveCost cost = H100(8, 1, 0).allReduce(8);
  EXPECT_STREQ(cost.protocol->name, "LL");
  EXPECT_NEAR(cost.latency, 15.0 * us, 1e-12);
  EXPECT_NEAR(cost.seconds, 15.0 * us, 0.05 * us);
}

// In the switch a port carries 9/8 of the buffer at 0.69 of 450 GB/s: 1 GiB in 3.8904 ms, to which
// come 25 us of a read and a write and two of its 64 pieces, 16 channels · 8 ranks · 128 KiB each.
TEST(CollectiveTest, Nccl_LargeOnesAreSummedInTheSwitch) {
  const CollectiveCost cost = H100(8, 1, 0).allReduce(GiB);
  EXPECT_EQ(cost.algorithm, Algorithm::InSwitch);
  EXPECT_NEAR(cost.seconds, 3.8904 * ms * (1 + 2.0 / 64) + 25 * us, 1 * us);
  // Two ranks carry 3/2 of it there, and once at 0.81 in a ring.
  EXPECT_EQ(H100(2, 1, 0).allReduce(GiB).algorithm, Algorithm::Ring);
}

// Pieces grow with the domain: of two of 72 devices 32 channels · 72 ranks · 64 KiB, or half of it
// where that is more than the buffer.
TEST(CollectiveTest, Nccl_SwitchesOfRacksFillByLargePieces) {
  LinkLevel rack{.level = Level::Node,
                 .devices = 72,
                 .bandwidth = 7'200'000'000'000,
                 .inSwitch = 0.5,
                 .library = CollectiveLibrary::Nccl};
  LinkLevel outside{.level = Level::Cluster,
                    .devices = 144,
                    .bandwidth = 400'000'000'000,
                    .library = CollectiveLibrary::Nccl};
  const LinkLevel levels[] = {rack, outside};
  const std::uint64_t inside[] = {72, 144};
  for (const auto& [size, piece] : {std::pair(8192.0, 144.0), {512.0, 144.0}, {100.0, 72.0}}) {
    const CollectiveCost cost =
        costOf(CollectiveKind::AllReduce, Algorithm::InSwitch, size * MiB, {inside}, levels);
    const double sent = (1 + 1.0 / 72) * size * MiB / 450e9;
    EXPECT_NEAR(cost.seconds - cost.latency, sent * (1 + 2 * piece / size), 1e-9) << size;
  }
}

// Two trees over two nodes: each port carries a rank's shard of an eighth once in each direction.
TEST(CollectiveTest, Nccl_TreesBetweenNodesCarryTheShardOnce) {
  const H100 pair(16, 2, 24);
  const CollectiveCost trees = costOf(CollectiveKind::AllReduce, Algorithm::DoubleTree, GiB,
                                      {pair.inside}, pair.cluster.levels);
  EXPECT_NEAR(trees.bytesPerLevel[1], GiB / 8, 1);
  EXPECT_NEAR(trees.bytesPerLevel[0], 2 * 7.0 / 8 * GiB, 1);
  // 6.8 us, 14 hops of 0.6 us, two of 5 us and the transport's 24 us.
  EXPECT_NEAR(pair.allReduce(8).latency, 73.2 * us, 1e-9);
  // A rank that has two children in one tree is a leaf in the other: its shard twice.
  const H100 four(32, 4, 24);
  EXPECT_NEAR(costOf(CollectiveKind::AllReduce, Algorithm::DoubleTree, GiB, {four.inside},
                     four.cluster.levels)
                  .bytesPerLevel[1],
              2 * GiB / 8, 1);
}

// NVIDIA/dgxc-benchmarking nccl/README.md (8 H100) and aws-samples/awsome-distributed-training
// nccl-tests/README.md (2 nodes of p5): microseconds.
TEST(CollectiveTest, Nccl_IsNearMeasuredAllReduces) {
  const H100 node(8, 1, 0), p5(16, 2, 24);
  for (const auto& [bytes, measured] : {std::pair(1 * KiB, 17.0),
                                        {64 * KiB, 20.0},
                                        {8 * MiB, 83.0},
                                        {16 * MiB, 124.0},
                                        {256 * MiB, 1112.0},
                                        {1 * GiB, 4029.0},
                                        {16 * GiB, 62648.0}})
    EXPECT_NEAR(node.allReduce(bytes).seconds / (measured * us), 1, 0.15) << bytes;
  // Where LL ends: its pipe is shorter than that of the pieces of other protocols.
  EXPECT_NEAR(node.allReduce(1 * MiB).seconds / (27.0 * us), 1, 0.36);
  for (const auto& [bytes, measured] : {std::pair(1 * KiB, 69.0),
                                        {1 * MiB, 123.0},
                                        {16 * MiB, 298.0},
                                        {256 * MiB, 1468.0},
                                        {4 * GiB, 17286.0}})
    EXPECT_NEAR(p5.allReduce(bytes).seconds / (measured * us), 1, 0.2) << bytes;
}

TEST(CollectiveTest, WithoutASwitch_AGroupHasTheLinksToItsMembersOnly) {
  // 7 links to 7 peers, together 448 GB/s: a pair has one of them.
  LinkLevel node{
      .level = Level::Node, .devices = 8, .bandwidth = 8 * 448'000'000'000, .peerLinks = 7};
  EXPECT_NEAR(costOf(CollectiveKind::AllReduce, Algorithm::Ring, 64 * GB, {{2}}, node).seconds, 1,
              1e-9);
  EXPECT_NEAR(messageTime(64 * GB, node), 1, 1e-9);
  EXPECT_NEAR(costOf(CollectiveKind::AllReduce, Algorithm::Ring, 448 * GB, {{8}}, node).seconds,
              1.75, 1e-9);
}

TEST(CollectiveTest, AScatteredRing_LeavesTheNodeWithEveryHop) {
  // 64 ranks in nodes of 8, the buffer d of each: 2·63·d leave nodes in all, of a ring by node an
  // eighth of it.
  const std::vector<std::uint64_t> inside{8, 64};
  LinkLevel node, cluster;
  node.devices = 8, node.bandwidth = 3'600'000'000'000, node.latency = 2'000'000;
  cluster = node;
  cluster.level = Level::Cluster, cluster.devices = 64, cluster.bandwidth = 400'000'000'000;
  cluster.latency = 5'000'000;
  const LinkLevel levels[] = {node, cluster};
  const double d = 1 << 30;
  const auto of = [&](Algorithm algorithm) {
    return costOf(CollectiveKind::AllReduce, algorithm, d, {inside}, levels);
  };
  const CollectiveCost byNode = of(Algorithm::Ring), scattered = of(Algorithm::ScatteredRing);
  EXPECT_NEAR(64 * byNode.bytesPerLevel[1], 15.75 * d, 1e-6 * d);
  EXPECT_NEAR(64 * scattered.bytesPerLevel[1], 126 * d, 1e-6 * d);
  EXPECT_EQ(scattered.bytesPerLevel[0], 0);
  // Through one port and not through eight side by side.
  EXPECT_NEAR(scattered.seconds - scattered.latency, 2 * 63.0 / 64 * d / 50e9, 1e-6);
  EXPECT_NEAR(byNode.seconds - byNode.latency, (scattered.seconds - scattered.latency) / 8, 1e-6);
}

TEST(CollectiveTest, OfNccl_AStatedOrderIsOfItsRingsAlone) {
  std::vector<LinkLevel> levels(2);
  levels[0].devices = 8, levels[0].bandwidth = 3'600'000'000'000;
  levels[1] = levels[0];
  levels[1].level = Level::Cluster, levels[1].devices = 64;
  levels[1].bandwidth = 400'000'000'000, levels[1].latency = 5'000'000;
  for (LinkLevel& level : levels)
    level.library = CollectiveLibrary::Nccl, level.algorithm = AlgorithmChoice::ScatteredRing;
  const std::vector<std::uint64_t> inside{8, 64};
  std::set<Algorithm> weighed;
  for (const CollectiveCost& cost :
       algorithmCosts(CollectiveKind::AllReduce, 1e9, {inside}, levels))
    weighed.insert(cost.algorithm);
  EXPECT_TRUE(weighed.count(Algorithm::ScatteredRing) && weighed.count(Algorithm::DoubleTree));
  EXPECT_FALSE(weighed.count(Algorithm::Ring));
  EXPECT_EQ(collectiveCost(CollectiveKind::AllGather, 1e9, {inside}, levels).algorithm,
            Algorithm::ScatteredRing);
}
