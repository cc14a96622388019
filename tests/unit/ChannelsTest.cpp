//===- ChannelsTest.cpp - The rate at which NCCL's channels carry trees -----------------------===//
#include "cost/collectives/Channels.h"
#include "SampleNetwork.h"
#include "cost/collectives/CollectiveCost.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr double GB = 1e9;

struct Machine {
  double computeCapability = 8, ports = 4, port = 25 * GB; ///< of a node of eight devices
};
std::vector<LinkLevel> levelsOf(const Machine& machine) {
  LinkLevel inside, outside;
  inside.devices = 8, inside.bandwidth = 8 * 300'000'000'000;
  outside.level = Level::Cluster, outside.devices = 1024;
  outside.channels = machine.ports / 8;
  outside.bandwidth = static_cast<std::uint64_t>(machine.ports * machine.port);
  for (LinkLevel* level : {&inside, &outside})
    level->library = CollectiveLibrary::Nccl, level->computeCapability = machine.computeCapability;
  return {inside, outside};
}
/// GB/s of an all-reduce that the channels of so many ranks in each of so many domains carry.
double treeRate(const Machine& machine, std::uint64_t domains, std::uint64_t inside = 8) {
  const std::vector<std::uint64_t> ranks{inside, inside * domains};
  return 1 / channelTime(HopKind::Tree, GB, {ranks}, levelsOf(machine));
}
} // namespace

// A channel a port, 23.6 GB/s up and down together over two nodes of A100 and 17.8 over more.
TEST(Channels, ATreeOfA100_HasAChannelForEachPort) {
  EXPECT_NEAR(treeRate({8.0, 4}, 2), 4 * 23.6 / 2, 1e-9);
  EXPECT_NEAR(treeRate({8.0, 4}, 3), 4 * 17.8 / 2, 1e-9);
  EXPECT_NEAR(treeRate({8.0, 8}, 2), 8 * 23.6 / 2, 1e-9);
  EXPECT_NEAR(treeRate({7.0, 8}, 16), 8 * 10.0 / 2, 1e-9);
  // Three devices of eight with four ports have two of them, one device has one.
  EXPECT_NEAR(treeRate({8.0, 4}, 2, 3), 2 * 23.6 / 2, 1e-9);
  EXPECT_NEAR(treeRate({8.0, 4}, 2, 1), 23.6 / 2, 1e-9);
}

TEST(Channels, FromHopperOnTwoShareAFastPort) {
  EXPECT_NEAR(treeRate({9.0, 8, 50 * GB}, 5), 8 * 36.0 / 2, 1e-9);
  EXPECT_NEAR(treeRate({9.0, 4, 50 * GB}, 5), 2 * 4 * 36.0 / 2, 1e-9);
  EXPECT_NEAR(treeRate({9.0, 4, 25 * GB}, 5), 4 * 36.0 / 2, 1e-9);
  EXPECT_NEAR(treeRate({9.0, 8, 50 * GB}, 2, 1), 2 * 41.4 / 2, 1e-9);
  EXPECT_NEAR(treeRate({8.0, 4, 50 * GB}, 5), 4 * 17.8 / 2, 1e-9); // PCIe 4
  EXPECT_NEAR(treeRate({9.0, 8, 100 * GB}, 5), 8 * 36.0 / 2, 1e-9);
  EXPECT_NEAR(treeRate({10.3, 8, 100 * GB}, 5), 2 * 8 * 24.0 / 2, 1e-9);
}

TEST(Channels, LimitNeitherRingsNorDomainsNorOtherMakers) {
  const std::vector<std::uint64_t> node{8, 8}, two{8, 16};
  EXPECT_EQ(channelTime(HopKind::Tree, GB, {node}, levelsOf({})), 0);
  EXPECT_EQ(channelTime(HopKind::Ring, GB, {two}, levelsOf({})), 0);
  EXPECT_EQ(channelTime(HopKind::Tree, GB, {two}, levelsOf({0, 4})), 0);
}

// Two nodes of A100 with four ports of 25 GB/s: the tree was said to reach 100 GB/s, 187 of bus
// bandwidth. 86 to 91 were measured (github.com/NVIDIA/nccl issue 1048, nccl-tests issues 175,
// 100).
TEST(Channels, OfTwoNodesWithFourPorts_NoAlgorithmPassesThePorts) {
  const std::vector<std::uint64_t> ranks{8, 16};
  const std::vector<LinkLevel> levels = levelsOf({});
  const double bytes = 8 * GB;
  const CollectiveCost byTree =
      costOf(CollectiveKind::AllReduce, Algorithm::DoubleTree, bytes, {ranks}, levels);
  EXPECT_NEAR(bytes / byTree.seconds, 47.2 * GB, 0.1 * GB);
  const CollectiveCost best = collectiveCost(CollectiveKind::AllReduce, bytes, {ranks}, levels);
  EXPECT_EQ(best.algorithm, Algorithm::Ring);
}

TEST(Channels, OfMixedNodes_NoGroupIsFasterThanTheNominalLevels) {
  Cluster cluster;
  cluster.nodes = 4, cluster.gpusPerNode = 8;
  cluster.nodeTypes.resize(2);
  cluster.nodeTypes[0].nodes = cluster.nodeTypes[1].nodes = 2;
  cluster.nodeTypes[0].device.computeCapability = 8,
  cluster.nodeTypes[1].device.computeCapability = 9;
  test::setNetwork(cluster, 1, {2'400'000'000'000}, {200'000'000'000});
  EXPECT_EQ(cluster.levels.back().computeCapability, 0);
  EXPECT_EQ(linkLevels(cluster, {1}).back().computeCapability, 9);
  const LinkLevels both = linkLevels(cluster, {0, 1});
  EXPECT_EQ(both.back().computeCapability, 8);
  EXPECT_EQ(both.back().channels, 1);
  cluster.network.links[1].count = 4;
  EXPECT_EQ(linkLevels(cluster, {0}).back().channels, 0.5);
  EXPECT_EQ(linkLevels(cluster, {0}).front().channels, 0);
}
