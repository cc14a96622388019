//===- StepTest.cpp - The estimating passes on a whole plan -----------------------------------===//
#include "cost/execution/OrderStatistics.h"
#include "cost/memory/RankMemory.h"
#include "passes/BuildGroups.h"
#include "passes/Passes.h"
#include "passes/PlaceRanks.h"
#include "tests/unit/Jitters.h"
#include "tests/unit/SamplePlan.h"
#include "tests/unit/ValueOf.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;
using test::valueOf;

namespace {
/// The sample plan with a mesh, groups and chunks, as the structural passes leave it.
Plan resolved(std::uint64_t pipeline = 2, std::uint64_t data = 2, std::uint64_t context = 2,
              std::uint64_t tensor = 2) {
  Plan plan = test::samplePlan();
  Device& device = plan.cluster.nodeTypes[0].device;
  device.sustainedMatmul = 0.7, device.sustainedAttention = 0.5, device.sustainedMemory = 0.8;
  device.efficiencyHalfSize = 128;
  const std::uint64_t inner = data * context * tensor;
  plan.mesh.axes = {{Axis::Replica, 1, 16, Level::Gpu},
                    {Axis::Pipeline, pipeline, inner, Level::Cluster},
                    {Axis::Data, data, context * tensor, Level::Node},
                    {Axis::Context, context, tensor, Level::Node},
                    {Axis::Tensor, tensor, 1, Level::Node}};
  plan.mesh.devices = 16;
  plan.mesh.microBatches = plan.layout.batch / data;
  plan.mesh.rankNodeTypes = rankNodeTypes(plan.mesh, plan.cluster);
  plan.placement = {PlacementKind::Linear, pipeline, 1};
  plan.groups = buildGroups(plan.mesh, plan.placement, plan.cluster);
  const std::uint64_t each = 32 / pipeline;
  for (std::uint64_t r = 0; r < pipeline; ++r)
    plan.chunks.push_back({r, 0, r * each, each, 0, r == 0, r + 1 == pipeline});
  return plan;
}
bool run(Plan& plan, DiagnosticEngine& diags) {
  for (const auto& create :
       {createEstimateComputePass, createLowerCollectivesPass, createSchedulePipelinePass,
        createCheckMemoryPass, createEstimateStepPass})
    if (create()->run(plan, diags).failed())
      return false;
  return true;
}
} // namespace

TEST(StepTest, StepTime_IsTheSumOfItsParts) {
  Plan plan = resolved();
  DiagnosticEngine diags;
  ASSERT_TRUE(run(plan, diags));
  const double sum = valueOf(plan, "time.compute") + valueOf(plan, "time.recompute") +
                     valueOf(plan, "time.exposed") + valueOf(plan, "time.bubble") +
                     valueOf(plan, "time.optimizer");
  EXPECT_NEAR(valueOf(plan, "step_time"), sum, 1e-9 * sum);
  EXPECT_GT(valueOf(plan, "mfu"), 0.1);
  EXPECT_LT(valueOf(plan, "mfu"), 0.7);
  EXPECT_TRUE(verify(plan).empty());
}

TEST(StepTest, HardwareFlop_CountWhatIsRecomputed) {
  Plan plan = resolved();
  plan.layout.recompute.kind = RecomputeKind::Full;
  DiagnosticEngine diags;
  ASSERT_TRUE(run(plan, diags));
  // Every layer once more; the head is not recomputed: below 4/3.
  const double ratio = valueOf(plan, "hfu") / valueOf(plan, "mfu");
  EXPECT_GT(ratio, 1.3);
  EXPECT_LT(ratio, 4.0 / 3);
}

TEST(StepTest, FasterParts_NeverMakeASlowerStep) {
  const auto step = [](auto change) {
    Plan plan = resolved();
    change(plan);
    DiagnosticEngine diags;
    EXPECT_TRUE(run(plan, diags));
    return valueOf(plan, "step_time");
  };
  const double base = step([](Plan&) {});
  EXPECT_LT(step([](Plan& p) { p.cluster.nodeTypes[0].device.sustainedMatmul = 0.8; }), base);
  for (const LinkKind kind : {LinkKind::ScaleUp, LinkKind::Network}) {
    Plan plan = resolved();
    test::linkIn(plan.cluster, kind).bandwidth *= 2;
    plan.cluster.levels = linkLevels(plan.cluster);
    EXPECT_LE(step([&](Plan& p) { p.cluster = plan.cluster; }), base);
  }
  EXPECT_GE(step([](Plan& p) { p.layout.overlap.gradients = false; }), base);
  EXPECT_GT(step([](Plan& p) { p.layout.recompute.kind = RecomputeKind::Full; }), base);
  EXPECT_GT(step([](Plan& p) { p.cluster.jitter = test::jitter(JitterKind::LogNormal, 0.05); }),
            base);
  EXPECT_GT(step([](Plan& p) { p.cluster.nodeTypes[0].device.speed = 0.85; }), base);
}

TEST(StepTest, ShardingStages_HoldTheTableOfBytesAParameter) {
  // 2 + 4 + 12 bytes: 0 whole; 1 shards the 12, 2 also the 4, 3 everything, over data × context
  // = 4.
  const auto state = [](unsigned stage) {
    Plan plan = resolved();
    Shard& s = plan.layout.shard;
    s.optimizer = stage >= 1 ? ShardAxis::Data : ShardAxis::None;
    s.gradients = stage >= 2 ? ShardAxis::Data : ShardAxis::None;
    s.parameters = stage >= 3 ? ShardAxis::Data : ShardAxis::None;
    DiagnosticEngine diags;
    EXPECT_TRUE(run(plan, diags));
    const RankMemory& m = plan.memory[1];
    return static_cast<double>(m.parameters + m.gradients + m.optimizer) /
           static_cast<double>(plan.costs[1].parameters);
  };
  EXPECT_NEAR(state(0), 18, 1e-6);
  EXPECT_NEAR(state(1), 2 + 4 + 12.0 / 4, 1e-6);
  EXPECT_NEAR(state(2), 2 + (4 + 12.0) / 4, 1e-6);
  EXPECT_NEAR(state(3), 18.0 / 4, 1e-6);
}

TEST(StepTest, FirstStage_HoldsMoreMicroBatchesThanTheLast) {
  Plan plan = resolved();
  DiagnosticEngine diags;
  ASSERT_TRUE(run(plan, diags));
  EXPECT_NEAR(plan.memory[0].inFlight, 2, 1e-9);
  EXPECT_NEAR(plan.memory[1].inFlight, 1, 1e-9);
}

TEST(StepTest, PlanThatDoesNotFit_NamesItsPartsAndWhatWouldHelp) {
  Plan plan = resolved();
  plan.cluster.nodeTypes[0].device.memory = 20ULL << 30;
  DiagnosticEngine diags;
  EXPECT_FALSE(run(plan, diags));
  ASSERT_EQ(diags.diagnostics().size(), 1U);
  const Diagnostic& d = diags.diagnostics()[0];
  EXPECT_STREQ(d.info.code, "DPL0401");
  EXPECT_NE(d.label.find("optimizer state"), std::string::npos);
  EXPECT_NE(d.help.find("shard.optimizer = data"), std::string::npos);
}

TEST(StepTest, TensorAllReduce_HasTheBytesOfTheActivations) {
  // b·s·h·2: 1 sequence of 4096 tokens over context 2, hidden 4096; 2 a layer each way and
  // micro-batch, and one of the embedding or the head.
  Plan plan = resolved();
  DiagnosticEngine diags;
  ASSERT_TRUE(run(plan, diags));
  bool found = false;
  for (const Collective& c : plan.collectives)
    if (c.purpose == CollectivePurpose::TensorActivation &&
        c.count == (16 * 2 * 2 + 1) * plan.mesh.microBatches) {
      found = true;
      EXPECT_EQ(c.kind, CollectiveKind::AllReduce);
      EXPECT_EQ(c.bytes, 2048U * 4096 * 2);
    }
  EXPECT_TRUE(found);
}

TEST(StepTest, BarrierAmplification_IsThatOfTheTable) {
  struct Shape {
    JitterKind kind = JitterKind::None;
    double spread = 0, node = 0;
  };
  const auto slowest = [](const Shape& of, double n, double inNode = 1) {
    return barrierAmplification(test::jitter(of.kind, of.spread, of.node), n, inNode);
  };
  using enum JitterKind;
  EXPECT_NEAR(slowest({LogNormal, 0.05, 0}, 8), 1.0729, 1e-4);
  EXPECT_NEAR(slowest({LogNormal, 0.1, 0}, 256), 1.3202, 1e-4);
  EXPECT_NEAR(slowest({LogNormal, 0.5, 0}, 1024), 4.209, 1e-3);
  EXPECT_EQ(slowest({LogNormal, 0, 0}, 1024), 1);
  EXPECT_EQ(slowest({}, 1024), 1);
  // The efficiencies of shapes 1.5 and 2 at 256 devices: 2.78 and 7.05 %.
  EXPECT_NEAR(1 / slowest({Pareto, 1.5, 0}, 256), 0.0278, 5e-5);
  EXPECT_NEAR(1 / slowest({Pareto, 2, 0}, 256), 0.0705, 5e-5);
  // H_2 = 1.5, H_4 = 25/12; a gamma of cv 1 is an exponential.
  EXPECT_NEAR(slowest({Exponential, 0.5, 0}, 2), 1.25, 1e-12);
  EXPECT_NEAR(slowest({Exponential, 1, 0}, 4), 25.0 / 12, 1e-12);
  EXPECT_NEAR(slowest({Gamma, 1, 0}, 4), 25.0 / 12, 1e-8);
  EXPECT_NEAR(slowest({Gamma, 1, 0}, 1000), slowest({Exponential, 1, 0}, 1000), 1e-8);
  // The larger of two of shape k is 1 + Γ(k + 1/2)/(√π·Γ(k + 1)) times the mean.
  for (const double k : {0.5, 2.0, 25.0})
    EXPECT_NEAR(
        slowest({Gamma, 1 / std::sqrt(k), 0}, 2),
        1 + std::exp(std::lgamma(k + 0.5) - std::lgamma(k + 1)) / std::sqrt(std::acos(-1.0)), 1e-6);
  // What a node has in common: all of it leaves as many as there are nodes, nothing all devices.
  EXPECT_NEAR(slowest({LogNormal, 0.2, 1}, 64, 8), slowest({LogNormal, 0.2, 0}, 8), 1e-6);
  EXPECT_NEAR(slowest({LogNormal, 0.2, 1e-9}, 64, 8), slowest({LogNormal, 0.2, 0}, 64), 1e-3);
  EXPECT_LT(slowest({LogNormal, 0.2, 0.5}, 64, 8), slowest({LogNormal, 0.2, 0.2}, 64, 8));
}

// T(1 + (s − 1)(1 − (1 − u)^n)) over the mean 1 + (s − 1)u: 0.1 % that take twice as long leave
// 99.2, 94.2, 71.4 and 50.4 % of T at 8, 64, 512 and 4096.
TEST(StepTest, BarrierAmplification_OfRareAndMeasuredTimes) {
  Jitter rare = test::jitter(JitterKind::Rare, 0);
  rare.share = 0.001, rare.slowdown = 2;
  const double left[] = {0.992, 0.942, 0.714, 0.504};
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(1 / (1.001 * barrierAmplification(rare, 8 << (3 * i), 1)), left[i], 1e-3) << i;
  rare.spread = 1e-4; // as narrow as none
  EXPECT_NEAR(barrierAmplification(rare, 512, 1), 1.4008 / 1.001, 2e-3);
  rare.slowdown = 1, rare.spread = 0.1;
  EXPECT_NEAR(barrierAmplification(rare, 256, 1), 1.3202, 1e-4);
  Jitter measured = test::jitter(JitterKind::Measured, 0.2);
  measured.times = {0.8, 1.0, 1.2};
  EXPECT_NEAR(barrierAmplification(measured, 2, 1), (0.8 + 3 * 1.0 + 5 * 1.2) / 9, 1e-12);
  EXPECT_NEAR(barrierAmplification(measured, 1000, 1), 1.2, 1e-12);
}
