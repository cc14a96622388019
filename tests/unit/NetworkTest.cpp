//===- NetworkTest.cpp - Link levels as a view of the network ---------------------------------===//
#include "SamplePlan.h"
#include "driver/workspace/Workspace.h"
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::ir;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
Cluster machine(std::uint64_t nodes) {
  Cluster c;
  c.nodes = nodes, c.gpusPerNode = 8;
  test::setNetwork(c, 1, {3600, 2, 0.8}, {400, 5, 0.9}, 3);
  return c;
}
void state(Cluster& c, Level level, std::uint64_t nodes, const LinkType& link) {
  c.network.units.push_back({level, nodes});
  c.network.links.push_back(link);
}
const LinkLevel inNode{Level::Node, 8, 3600, 2, 0.8, 1};
} // namespace

TEST(Network, OfEqualNodes_IsTwoLevels) {
  EXPECT_THAT(linkLevels(machine(4)),
              ElementsAre(inNode, LinkLevel{Level::Cluster, 32, 400, 5, 0.9, 3}));
  EXPECT_THAT(linkLevels(machine(1)), ElementsAre(inNode));
}

TEST(Network, TapersMultiply_FromTheInsideOut) {
  Cluster c = machine(16);
  state(c, Level::Leaf, 2, test::taperOf(LinkKind::Leaf, 2));
  state(c, Level::Pod, 8, test::taperOf(LinkKind::Pod, 5));
  EXPECT_THAT(linkLevels(c), ElementsAre(inNode, LinkLevel{Level::Leaf, 16, 400, 5, 0.9, 1},
                                         LinkLevel{Level::Pod, 64, 400, 5, 0.9, 2},
                                         LinkLevel{Level::Cluster, 128, 400, 5, 0.9, 30}));
  // One leaf holds all nodes: the links out of it carry nothing.
  c.nodes = 2;
  EXPECT_THAT(linkLevels(c), ElementsAre(inNode, LinkLevel{Level::Leaf, 16, 400, 5, 0.9, 1}));
}

TEST(Network, AUnitNoLargerThanTheOneInside_IsNoLevel_ButTapers) {
  Cluster c = machine(4);
  state(c, Level::Leaf, 1, test::taperOf(LinkKind::Leaf, 2));
  EXPECT_THAT(linkLevels(c), ElementsAre(inNode, LinkLevel{Level::Cluster, 32, 400, 5, 0.9, 6}));
}

TEST(Network, LinksOutOfASite_AreSharedByItsDevices) {
  Cluster c = machine(4);
  state(c, Level::Site, 2, test::linkOf(LinkKind::Site, {1600, 70, 0.5}));
  // The spine tops each site; between the sites there is no other taper.
  EXPECT_THAT(linkLevels(c), ElementsAre(inNode, LinkLevel{Level::Site, 16, 400, 5, 0.9, 3},
                                         LinkLevel{Level::Cluster, 32, 100, 70, 0.5, 1}));
  // 12800 / 16 = 800 a device, of which half is reached: its ports bring 0.9 × 400 there.
  test::linkIn(c, LinkKind::Site).bandwidth = 12800;
  EXPECT_EQ(linkLevels(c).back(), (LinkLevel{Level::Cluster, 32, 400, 70, 0.9, 1}));
}

TEST(Network, OfAFile_IsWhatTheFileStates) {
  Workspace workspace;
  workspace.overlay("main.dpl", R"(
import std.models
import std.clusters
cluster pod from clusters.dgx_h100 {
  nodes = 16
  nic { count = 0.5 per gpu, bandwidth = 200Gbps per nic }
  network { bandwidth = 80Gbps per gpu, efficiency = 0.5 }
  leaf { nodes = 4, oversubscription = 2 }
  site { nodes = 8, bandwidth = 1Tbps per site, latency = 1ms, efficiency = 0.6 }
}
layout plan for models.gpt2_small on pod { batch = 128seq, mesh { data = rest } }
)");
  DiagnosticEngine diags;
  const auto unit = workspace.compile("main.dpl", diags);
  ASSERT_FALSE(unit->file.failed());
  const Network& n = unit->file->plans.at(0).cluster.network;
  EXPECT_EQ(n.nodeDevices, 8U);
  EXPECT_EQ(n.nodesIn(Level::Node), 1U);
  EXPECT_EQ(n.nodesIn(Level::Leaf), 4U);
  EXPECT_EQ(n.nodesIn(Level::Pod), 0U);
  EXPECT_EQ(n.nodesIn(Level::Site), 8U);
  const LinkType& port = n.links.at(unit->file->plans[0].cluster.nodeTypes[0].ports);
  EXPECT_EQ(port.kind, LinkKind::Port);
  EXPECT_EQ(port.count, 4U);
  EXPECT_EQ(port.bandwidth, 200'000'000'000U);
  EXPECT_EQ(port.latency, 8'000'000U);
  EXPECT_EQ(n.find(LinkKind::Network)->bandwidth, 80'000'000'000U);
  EXPECT_EQ(n.find(LinkKind::Leaf)->taper, 2);
  EXPECT_EQ(n.find(LinkKind::Pod), nullptr);
  EXPECT_EQ(n.find(LinkKind::Spine)->taper, 1);
  EXPECT_EQ(n.find(LinkKind::Site)->bandwidth, 1'000'000'000'000U);
  EXPECT_EQ(n.find(LinkKind::Site)->latency, 1'000'000'000U);
}

TEST(VerifyNetwork, WhatLevelsCannotBeSeenIn_IsFound) {
  const auto broken = [](auto change) {
    Plan plan = test::samplePlan();
    change(plan.cluster);
    return verify(plan);
  };
  EXPECT_THAT(broken([](Cluster&) {}), ElementsAre());
  EXPECT_THAT(broken([](Cluster& c) { c.levels[1].bandwidth *= 2; }),
              ElementsAre("the link levels are not those of the network"));
  EXPECT_THAT(broken([](Cluster& c) {
                c.network.units.push_back({Level::Node, 2});
              }),
              ElementsAre("unit node is not outside node"));
  EXPECT_THAT(broken([](Cluster& c) {
                c.network.units.push_back({Level::Leaf, 2});
                c.network.units.push_back({Level::Pod, 3});
              }),
              ElementsAre("unit pod of 3 nodes does not hold whole units of the kind below"));
  EXPECT_THAT(broken([](Cluster& c) {
                c.network.units.push_back({Level::Leaf, 0});
                c.network.units.push_back({Level::Pod, 2});
              }),
              ElementsAre("unit leaf of 0 nodes does not hold whole units of the kind below"));
  EXPECT_THAT(broken([](Cluster& c) { c.network.units.clear(); }),
              ElementsAre("the network has no unit"));
  EXPECT_THAT(broken([](Cluster& c) { c.nodeTypes[0].ports = 0; }),
              ElementsAre("the nominal nodes have links 0 of 4 for ports"));
  EXPECT_THAT(broken([](Cluster& c) { c.network.nodeDevices = 4; }),
              ElementsAre("8 devices of a node run, it has 4"));
  EXPECT_THAT(broken([](Cluster& c) { test::linkIn(c, LinkKind::Network).bandwidth = 0; }),
              ElementsAre("links of class network have a bandwidth of 0"));
  EXPECT_THAT(broken([](Cluster& c) { test::linkIn(c, LinkKind::Spine).taper = 0.5; }),
              Contains(HasSubstr("taper 0.5")));
  EXPECT_THAT(broken([](Cluster& c) { c.network.links.push_back(c.network.links[0]); }),
              ElementsAre("there are two classes scale_up of links"));
  EXPECT_THAT(broken([](Cluster& c) { c.network.links.erase(c.network.links.begin()); }),
              Contains("the network has no links of class scale_up"));
}
