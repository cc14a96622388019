//===- TakeDevicesTest.cpp - A layout on a part of its cluster --------------------------------===//
#include "passes/TakeDevices.h"
#include "SamplePlan.h"
#include <gtest/gtest.h>

using namespace dpl;
using ir::Level;

namespace {
/// 8 racks of 18 trays of 4 in two rows.
ir::Cluster racks() {
  ir::Cluster c;
  c.name = "racks", c.nodes = 144, c.gpusPerNode = 4;
  ir::NodeType nominal, slow;
  nominal.nodes = 140, slow.nodes = 4, slow.name = "slow";
  nominal.device.idlePower = slow.device.busyPower = 200;
  c.nodeTypes = {nominal, slow};
  test::setNetwork(c, 18, {1000}, {100}, 2);
  c.network.units.push_back({Level::Leaf, 72});
  c.network.links.push_back(test::taperOf(ir::LinkKind::Leaf, 1));
  c.levels = ir::linkLevels(c);
  return c;
}

ir::Cluster taken(std::uint64_t devices) {
  ir::Plan plan = test::samplePlan();
  plan.cluster = racks();
  plan.layout.devices = devices;
  DiagnosticEngine diags;
  EXPECT_FALSE(takeDevices(plan, diags).failed());
  EXPECT_EQ(plan.cluster.devices(), devices);
  return plan.cluster;
}
} // namespace

TEST(TakeDevices, OfEveryRack_TakesTheSameOfEach) {
  const ir::Cluster c = taken(8 * 64);
  EXPECT_EQ(c.nodes, 128U);
  EXPECT_EQ(c.gpusPerNode, 4U);
  ASSERT_EQ(c.levels.size(), 3U);
  EXPECT_EQ(c.levels[0].devices, 64U);
  EXPECT_EQ(c.levels[1].devices, 256U);
  EXPECT_EQ(c.levels[2].devices, 512U);
  // Of the last rack the nodes 126 … 141 run, of which the last two are slow.
  ASSERT_EQ(c.nodeTypes.size(), 2U);
  EXPECT_EQ(c.nodeTypes[0].nodes, 126U);
  EXPECT_EQ(c.nodeTypes[1].nodes, 2U);
  EXPECT_EQ(c.idleDevices, 64U);
  EXPECT_DOUBLE_EQ(c.idlePower.value(), 64 * 200);
  EXPECT_FALSE(c.idlePricePerHour) << "nobody says one";
}

TEST(TakeDevices, OfOneRack_LeavesTheOthersAndTheirLinks) {
  const ir::Cluster c = taken(64);
  EXPECT_EQ(c.nodes, 16U);
  ASSERT_EQ(c.levels.size(), 1U);
  EXPECT_EQ(c.levels[0].devices, 64U);
  ASSERT_EQ(c.nodeTypes.size(), 1U);
  EXPECT_EQ(c.nodeTypes[0].name, "");
  EXPECT_EQ(c.idleDevices, 512U);
}

TEST(TakeDevices, LessThanANode_TakesAsManyOfEach) {
  const ir::Cluster c = taken(6);
  EXPECT_EQ(c.nodes, 2U);
  EXPECT_EQ(c.gpusPerNode, 3U);
  EXPECT_FALSE(selectionOf(racks(), 7)) << "two trays do not hold 7 evenly";
  EXPECT_FALSE(selectionOf(racks(), 73)) << "two racks do not hold 73 evenly";
  EXPECT_FALSE(selectionOf(racks(), 74)) << "37 of each are not the same of ten trays";
  EXPECT_TRUE(selectionOf(racks(), 80)) << "ten trays of each";
}

TEST(TakeDevices, OfAPlanThatWasCut_LeavesItAsItIs) {
  ir::Plan plan = test::samplePlan();
  plan.layout.devices = 8;
  DiagnosticEngine diags;
  ASSERT_FALSE(takeDevices(plan, diags).failed());
  const std::string once = ir::print(plan);
  ASSERT_FALSE(takeDevices(plan, diags).failed());
  EXPECT_EQ(ir::print(plan), once);
}

TEST(TakeDevices, LinksOutOfASite_AreSharedByThoseThatRun) {
  ir::Plan plan = test::samplePlan();
  ir::Network& network = plan.cluster.network;
  network.units.push_back({Level::Site, 1});
  network.links.push_back(test::linkOf(ir::LinkKind::Site, {800}));
  plan.cluster.levels = ir::linkLevels(plan.cluster);
  EXPECT_EQ(plan.cluster.levels.back().bandwidth, 100U) << "800 / 8";
  plan.layout.devices = 12;
  DiagnosticEngine diags;
  ASSERT_FALSE(takeDevices(plan, diags).failed());
  EXPECT_EQ(plan.cluster.gpusPerNode, 6U);
  EXPECT_EQ(plan.cluster.levels.back().bandwidth, 133U) << "800 / 6";
}
