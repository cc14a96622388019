//===- DirectUnitsTest.cpp - Leaves and pods that no switch joins -----------------------------===//
#include "ir/DirectUnits.h"
#include "cost/collectives/CollectiveCost.h"
#include "cost/network/LinkLoad.h"
#include "simulate/plan/StepLinks.h"
#include "tests/unit/SampleNetwork.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::ir;
using testing::ElementsAre;

namespace {
constexpr std::uint64_t Gbps = 1'000'000'000;
constexpr double GB = 1e9;

LinkType directOf(LinkKind kind, std::uint64_t bandwidth, std::uint64_t others) {
  LinkType link;
  link.kind = kind, link.bandwidth = bandwidth, link.count = others;
  return link;
}

/// Three pods of four leaves of two nodes of two devices, each with a port of 10 GB/s. Two leaves
/// of a pod have 20 GB/s between them, where four devices send, two pods 40 GB/s, where 16 do.
Cluster dragonfly() {
  Cluster cluster;
  cluster.nodes = 24, cluster.gpusPerNode = 2;
  cluster.nodeTypes.resize(1);
  cluster.nodeTypes.front().nodes = 24;
  test::setNetwork(cluster, 1, {8000 * Gbps, 0}, {80 * Gbps, 0});
  cluster.network.units.push_back({Level::Leaf, 2});
  cluster.network.units.push_back({Level::Pod, 8});
  cluster.network.links.push_back(directOf(LinkKind::Leaf, 160 * Gbps, 3));
  cluster.network.links.push_back(directOf(LinkKind::Pod, 320 * Gbps, 2));
  cluster.levels = linkLevels(cluster);
  return cluster;
}
const std::vector<std::uint64_t> everybody{2, 4, 16, 48};
enum : std::size_t { Node, Leaf, Pod, All };
} // namespace

TEST(DirectUnits, LevelsSayWhatOneOfTheOthersGets) {
  const Cluster cluster = dragonfly();
  ASSERT_EQ(cluster.levels.size(), 4U);
  EXPECT_EQ(cluster.levels[Leaf].pair, 0);
  EXPECT_EQ(cluster.levels[Leaf].taper(), 1);
  EXPECT_DOUBLE_EQ(cluster.levels[Pod].taper(), 4 * 80.0 / 160);
  EXPECT_DOUBLE_EQ(cluster.levels[All].taper(), 16 * 80.0 / 320);
  EXPECT_DOUBLE_EQ(cluster.levels[All].within, 2);
  EXPECT_EQ(cluster.levels[All].joined, 4U);
}

// To k others at once a unit has k times the links. Inside, two leaves that both lead out have half
// of what comes in and of what goes out between them.
TEST(DirectUnits, WhoSendsToSeveralHasTheLinksToEach) {
  const Cluster cluster = dragonfly();
  EXPECT_DOUBLE_EQ(cluster.levels[Pod].taperTo(1), 2);
  EXPECT_DOUBLE_EQ(cluster.levels[Pod].taperTo(3), 1);
  EXPECT_DOUBLE_EQ(cluster.levels[All].taperTo(2), 2);
  EXPECT_DOUBLE_EQ(cluster.levels[All].taperTo(3), 4.0 / 3);
  EXPECT_DOUBLE_EQ(cluster.levels[All].taperTo(8), 1) << "within 2 / 2, at most what ports bring";
}

// A ring of all ranks leaves a pod once: (n − 1)/n of the buffer over 40 GB/s; an exchange sends
// two thirds of what 16 ranks have over both.
TEST(DirectUnits, ClosedForms_HaveOnePairOrAll) {
  const Cluster cluster = dragonfly();
  const double bytes = 48e6;
  const cost::CollectiveCost ring =
      cost::costOf(CollectiveKind::AllGather, Algorithm::Ring, bytes, {everybody}, cluster.levels);
  EXPECT_NEAR(ring.secondsPerLevel[All], 47.0 / 48 * bytes / (40 * GB), 1e-12);
  EXPECT_NEAR(ring.secondsPerLevel[Pod], 47.0 / 48 * bytes / (20 * GB), 1e-12);
  const cost::CollectiveCost exchange =
      cost::costOf(CollectiveKind::AllToAll, Algorithm::Direct, bytes, {everybody}, cluster.levels);
  EXPECT_NEAR(exchange.secondsPerLevel[All], 16 * 32.0 / 48 * bytes / (2 * 40 * GB), 1e-12);
  EXPECT_NEAR(exchange.secondsPerLevel[Pod], 12.0 / 48 * bytes / (10 * GB), 1e-12);
  // One partner after the other has one pair of pods at a time.
  const cost::CollectiveCost pairwise = cost::costOf(CollectiveKind::AllToAll, Algorithm::Pairwise,
                                                     bytes, {everybody}, cluster.levels);
  EXPECT_GT(pairwise.secondsPerLevel[All], 1.9 * exchange.secondsPerLevel[All]);
}

TEST(DirectUnits, MessagesTakeTheShortestWay) {
  const Cluster cluster = dragonfly();
  const DirectUnits units(cluster.levels);
  EXPECT_EQ(units.peers(Node), 0U);
  EXPECT_EQ(units.peers(Leaf), 4U);
  EXPECT_EQ(units.peers(Pod), 3U);
  const auto hops = [&](std::uint64_t from, std::uint64_t to) {
    std::vector<std::vector<std::uint64_t>> all;
    for (const DirectUnits::UnitHop& hop : units.hops(from, to))
      all.push_back({hop.level, hop.from, hop.to});
    return all;
  };
  using Hop = std::vector<std::uint64_t>;
  EXPECT_THAT(hops(0, 3), ElementsAre()) << "one leaf";
  EXPECT_THAT(hops(0, 13), ElementsAre(Hop{Leaf, 0, 3}));
  // Pod 1 is reached from leaf 1 of pod 0, and entered at its leaf 0.
  EXPECT_THAT(hops(0, 24), ElementsAre(Hop{Leaf, 0, 1}, Hop{Leaf, 4, 6}, Hop{Pod, 0, 1}));
  EXPECT_THAT(hops(4, 16), ElementsAre(Hop{Pod, 0, 1})) << "both ends are where links begin";
}

TEST(DirectUnits, LinksOfAStep_AreOfPairs) {
  const Cluster cluster = dragonfly();
  const simulation::StepLinks links(cluster, 48, std::nullopt);
  simulation::StepLinks::LinkRoute route;
  links.route(0, 24, All, route);
  std::vector<std::string> names;
  std::vector<double> capacities;
  for (const std::uint32_t link : route) {
    names.push_back(links.nameOf(link));
    capacities.push_back(links.capacities()[link]);
  }
  EXPECT_THAT(names, ElementsAre("port of rank 0, out", "port of rank 24, in", "leaf 0 to 1",
                                 "leaf 4 to 6", "pod 0 to 1"));
  EXPECT_THAT(capacities, ElementsAre(1, 1, 2, 2, 4)) << "of what a port carries";
  EXPECT_DOUBLE_EQ(links.scaleAt(All), 0.25);
}

TEST(DirectUnits, TheBusiestLink_DependsOnHowManyUnitsAreSentTo) {
  const Cluster cluster = dragonfly();
  const auto narrowest = [&](std::size_t level, std::uint64_t units) {
    return cluster.network.links[cost::narrowestLink(cluster, {0}, level, units)].displayName();
  };
  EXPECT_EQ(narrowest(Pod, 1), "leaf");
  EXPECT_EQ(narrowest(Pod, 3), "port");
  EXPECT_EQ(narrowest(All, 1), "pod");
}
