//===- ClusterTest.cpp - Levels and peaks -----------------------------------------------------===//
#include "SamplePlan.h"
#include <gtest/gtest.h>

using namespace dpl::ir;

namespace {
Cluster nvl72() {
  Cluster c;
  c.nodes = 144, c.gpusPerNode = 4;
  dpl::test::setNetwork(c, 18, {7200}, {400});
  return c;
}
} // namespace

TEST(Cluster, ASpanThatDividesTheUnit_StaysInside) {
  EXPECT_EQ(nvl72().levelOf(8).level, Level::Domain);
  EXPECT_EQ(nvl72().levelOf(72).level, Level::Domain);
  EXPECT_EQ(nvl72().levelOf(144).level, Level::Cluster);
}

TEST(Cluster, ASpanThatDoesNotDivideTheUnit_LeavesIt) {
  // 16 ranks from 64 on lie in two domains of 72.
  EXPECT_EQ(nvl72().levelOf(16).level, Level::Cluster);
}

TEST(Cluster, ALevelThatIsNotStated_IsTheNextThatHoldsIt) {
  EXPECT_EQ(nvl72().devicesIn(Level::Gpu), 1U);
  EXPECT_EQ(nvl72().devicesIn(Level::Node), 4U);
  EXPECT_EQ(nvl72().devicesIn(Level::Domain), 72U);
  EXPECT_EQ(nvl72().devicesIn(Level::Pod), 576U);
  EXPECT_EQ(dpl::test::samplePlan().cluster.devicesIn(Level::Domain), 8U);
}

TEST(Device, WithoutAFormat_UsesTheNextWider) {
  Device d;
  d.peak = {{DataType::FP32, 15}, {DataType::FP16, 125}};
  EXPECT_EQ(d.peakOf(DataType::FP16), 125U);
  EXPECT_EQ(d.peakOf(DataType::BF16), 15U) << "fp16 overflows where bf16 does not";
  d.peak = {{DataType::BF16, 989}, {DataType::FP8, 1979}};
  EXPECT_EQ(d.peakOf(DataType::FP16), 989U);
  EXPECT_EQ(d.peakOf(DataType::NVFP4), 1979U);
  EXPECT_EQ(d.peakOf(DataType::FP32), 0U);
}

TEST(Layout, RangeOf_FallsBackToTheEnclosingPath) {
  Layout l;
  l.ranges[""] = {1, 0, 1};
  l.ranges["mesh"] = {1, 10, 14};
  l.ranges["mesh.tensor"] = {1, 20, 21};
  EXPECT_EQ(l.rangeOf("mesh.tensor").begin, 20U);
  EXPECT_EQ(l.rangeOf("mesh.data").begin, 10U);
  EXPECT_EQ(l.rangeOf("batch").begin, 0U);
}
