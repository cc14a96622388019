//===- CollectiveTest.cpp - Collectives: steps, times, bytes ----------------------------------===//
#include "cost/CostModel.h"
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
  Group group;
  Fabric(std::initializer_list<std::array<double, 3>> levels) {
    for (const auto& [devices, bandwidth, latency] : levels) {
      LinkLevel level;
      level.devices = static_cast<std::uint64_t>(devices);
      level.bandwidth = static_cast<std::uint64_t>(std::llround(8 * bandwidth));
      level.latency = static_cast<std::uint64_t>(std::llround(latency * 1e6));
      cluster.levels.push_back(level);
      group.inside.push_back(level.devices);
      group.size = level.devices;
    }
  }
  double time(CollectiveKind kind, Algorithm algorithm, double bytes) const {
    return costOf(kind, algorithm, bytes, group, cluster).seconds;
  }
};

/// Who contributed to each piece of each rank's buffer.
using Contributions = std::vector<std::vector<std::multiset<std::uint64_t>>>;

/// Runs the messages of a phase. All messages of a step are read before any is written.
void runPhase(const Phase& phase, Contributions& state) {
  for (std::uint64_t step = 0; step < phase.steps(); ++step) {
    const Contributions before = state;
    for (const Message& m : messagesOf(phase, step))
      for (std::uint64_t i = m.firstPiece; i < m.firstPiece + m.pieces; ++i) {
        const auto& sent = before[m.from][i];
        if (m.adds)
          state[m.to][i].insert(sent.begin(), sent.end());
        else
          state[m.to][i] = sent;
      }
  }
}

/// Bytes of the busiest rank, as a share of the buffer, counted from the messages.
double busiestSender(const Phase& phase) {
  double sum = 0;
  for (std::uint64_t step = 0; step < phase.steps(); ++step) {
    std::vector<double> sent(phase.ranks, 0);
    for (const Message& m : messagesOf(phase, step))
      sent[m.from] +=
          phase.share * static_cast<double>(m.pieces) / static_cast<double>(piecesOf(phase));
    sum += *std::max_element(sent.begin(), sent.end());
  }
  return sum;
}
} // namespace

TEST(CollectiveTest, RingAndTreeAllReduce_LeaveEveryRankWithEveryContributionOnce) {
  for (Algorithm algorithm : {Algorithm::Ring, Algorithm::Tree})
    for (std::uint64_t n = 2; n <= 17; ++n) {
      const std::vector<Phase> phases = phasesOf(CollectiveKind::AllReduce, algorithm, {n});
      ASSERT_EQ(phases.size(), 2U);
      Contributions state(n);
      for (std::uint64_t r = 0; r < n; ++r)
        state[r].assign(piecesOf(phases.front()), {r});
      for (const Phase& phase : phases)
        runPhase(phase, state);
      std::multiset<std::uint64_t> all;
      for (std::uint64_t r = 0; r < n; ++r)
        all.insert(r);
      for (const auto& rank : state)
        for (const auto& piece : rank)
          EXPECT_EQ(piece, all) << n << " ranks";
    }
}

TEST(CollectiveTest, Hierarchy_ReducesAShardInsideBeforeItLeavesTheNode) {
  // 3 nodes of 4: every rank's shard of the inner phase is reduced across nodes with its peers.
  const std::vector<Phase> phases =
      phasesOf(CollectiveKind::AllReduce, Algorithm::Hierarchical, {4, 12});
  ASSERT_EQ(phases.size(), 4U);
  EXPECT_EQ(phases[0].kind, PhaseKind::RingReduceScatter);
  EXPECT_EQ(phases[0].ranks, 4U);
  EXPECT_EQ(phases[1].ranks, 3U);
  EXPECT_DOUBLE_EQ(phases[1].share, 0.25);
  EXPECT_EQ(phases[1].stride, 4U);
  EXPECT_EQ(phases[2].kind, PhaseKind::RingAllGather);
  EXPECT_EQ(phases[2].level, 1U);
  EXPECT_EQ(phases[3].level, 0U);
}

TEST(CollectiveTest, Exchange_BringsEachRankItsPieceOfEveryOther) {
  for (Algorithm algorithm : {Algorithm::Pairwise, Algorithm::Direct})
    for (std::uint64_t n = 2; n <= 9; ++n) {
      const Phase phase = phasesOf(CollectiveKind::AllToAll, algorithm, {n}).front();
      std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
      for (std::uint64_t step = 0; step < phase.steps(); ++step)
        for (const Message& m : messagesOf(phase, step)) {
          EXPECT_EQ(m.firstPiece, m.to);
          EXPECT_TRUE(pairs.insert({m.from, m.to}).second);
        }
      EXPECT_EQ(pairs.size(), n * (n - 1));
    }
}

TEST(CollectiveTest, BytesOfAPhase_AreThoseOfItsMessages) {
  for (std::uint64_t n : {2ULL, 3ULL, 8ULL, 13ULL})
    for (PhaseKind kind :
         {PhaseKind::RingReduceScatter, PhaseKind::RingAllGather, PhaseKind::TreeReduce,
          PhaseKind::TreeBroadcast, PhaseKind::Pairwise, PhaseKind::Exchange}) {
      const Phase phase{kind, n, 1, 0, 1, true};
      EXPECT_NEAR(phase.sent(), busiestSender(phase), 1e-12);
    }
}

// Bytes sent per rank: all-reduce 2(n−1)/n·d, reduce-scatter and all-gather (n−1)/n·d. The ring
// meets this lower bound.
TEST(CollectiveTest, Ring_MeetsTheBandwidthBound) {
  const Fabric f{{8, 50 * GB, 1}};
  EXPECT_NEAR(costOf(CollectiveKind::AllReduce, Algorithm::Ring, 100 * MB, f.group, f.cluster)
                  .bytesPerLevel[0],
              175 * MB, 1);
  EXPECT_NEAR(costOf(CollectiveKind::AllGather, Algorithm::Ring, 100 * MB, f.group, f.cluster)
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
  EXPECT_NEAR(
      (Fabric{{256, 25 * GB, 5}}.time(CollectiveKind::AllToAll, Algorithm::Pairwise, 8.192 * MB)),
      1.6014 * ms, 1e-9);
  EXPECT_NEAR(
      (Fabric{{64, 12.5 * GB, 10}}.time(CollectiveKind::Broadcast, Algorithm::Tree, 100 * MB)),
      48.06 * ms, 1e-9);
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
    const double ring = f.time(CollectiveKind::AllReduce, Algorithm::Ring, side * crossing);
    const double tree = f.time(CollectiveKind::AllReduce, Algorithm::Tree, side * crossing);
    EXPECT_EQ(tree < ring, side < 1);
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
  const auto leaving = [&](Algorithm a, const Group& group) {
    return 64 * costOf(CollectiveKind::AllReduce, a, 1, group, f.cluster).bytesPerLevel[1];
  };
  EXPECT_NEAR(leaving(Algorithm::Ring, f.group), 15.75, 1e-9);
  EXPECT_NEAR(leaving(Algorithm::Hierarchical, f.group), 14, 1e-9);
  Group scattered = f.group;
  scattered.inside = {1, 64};
  EXPECT_NEAR(leaving(Algorithm::Ring, scattered), 126, 1e-9);
  // One 12.5 GB/s port a node, latency 0: 15.75 ms contiguous, 126 ms scattered.
  const Fabric port{{8, 600 * GB, 0}, {64, 12.5 / 8 * GB, 0}};
  EXPECT_NEAR(port.time(CollectiveKind::AllReduce, Algorithm::Ring, 100 * MB), 15.75 * ms, 1e-9);
  EXPECT_NEAR(
      costOf(CollectiveKind::AllReduce, Algorithm::Ring, 100 * MB, scattered, port.cluster).seconds,
      126 * ms, 1e-9);
}

TEST(CollectiveTest, Taper_CostsOnlyTrafficThatCrossesIt) {
  Fabric f{{8, 600 * GB, 0}, {64, 25 * GB, 0}};
  const double before = f.time(CollectiveKind::AllReduce, Algorithm::Hierarchical, 700 * MB);
  f.cluster.levels[1].oversubscription = 4;
  const double after = f.time(CollectiveKind::AllReduce, Algorithm::Hierarchical, 700 * MB);
  EXPECT_NEAR(after - before, 3 * 2 * 7.0 / 8 * 700 * MB / 8 / (25 * GB), 1e-9);
}

TEST(CollectiveTest, ChosenAlgorithm_IsNeverSlowerThanAnother) {
  const Fabric f{{8, 450 * GB, 2}, {512, 50 * GB, 5}};
  for (double bytes : {1e3, 1e5, 1e7, 1e9}) {
    const CollectiveCost best =
        collectiveCost(CollectiveKind::AllReduce, bytes, f.group, f.cluster);
    for (Algorithm a : {Algorithm::Ring, Algorithm::Tree, Algorithm::Hierarchical})
      EXPECT_LE(best.seconds, f.time(CollectiveKind::AllReduce, a, bytes));
  }
}

TEST(CollectiveTest, GroupOfOne_CostsNothing) {
  const Fabric f{{1, 450 * GB, 2}};
  EXPECT_EQ(collectiveCost(CollectiveKind::AllReduce, 1e9, f.group, f.cluster).seconds, 0);
}

TEST(CollectiveTest, ExposedReductions_FollowTheRecurrence) {
  // 96 layers of 5 ms and 700/96 MB, ring over 256 ranks at 10 us and 50 GB/s, one bucket a layer:
  // 522.490625 ms in all.
  const Fabric f{{256, 50 * GB, 10}};
  const double each = f.time(CollectiveKind::AllReduce, Algorithm::Ring, 700 * MB / 96);
  EXPECT_NEAR(480 * ms + exposedReductions(96, 5 * ms, each), 522.490625 * ms, 1e-9);
  const double pair = f.time(CollectiveKind::AllReduce, Algorithm::Ring, 2 * 700 * MB / 96);
  EXPECT_NEAR(480 * ms + exposedReductions(48, 10 * ms, pair), 485.681054688 * ms, 1e-9);
  // 10 layers of 2 ms, 4 ms each to reduce: 2L + 2 ms.
  EXPECT_NEAR(exposedReductions(10, 2 * ms, 4 * ms), 22 * ms, 1e-12);
}
