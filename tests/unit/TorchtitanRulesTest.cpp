//===- TorchtitanRulesTest.cpp - What the torchtitan target refuses, and what it takes --------===//
#include "TorchtitanPlans.h"
#include "backends/torchtitan/Rules.h"
#include "backends/torchtitan/Split.h"
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(TorchtitanRules, TakeAPlanOfAFlavor) {
  for (const char* release : {"0.2.2", "0.3.0"})
    EXPECT_EQ(refusal(flavored({.pipeline = 2, .data = 2, .tensor = 2}), release), "") << release;
}
TEST(TorchtitanRules, OfModels) {
  ir::Plan plan = flavored({.data = 8});
  plan.model.kind = "encoder";
  EXPECT_EQ(refusal(plan), "T1");
  plan = flavored({.data = 8});
  plan.model.predictionLayers = 1;
  EXPECT_EQ(refusal(plan), "T3");
  plan = flavored({.data = 8}, "qwen3", "30B-A3B");
  plan.model.layerTypes[0].feedForward.capacity = 1.25;
  EXPECT_THAT(refusal(plan), HasSubstr("T4"));
  plan = flavored({.data = 8}, "qwen3");
  plan.model.context = 65536;
  EXPECT_EQ(refusal(plan, "0.3.0"), "T5");
  EXPECT_EQ(refusal(plan, "0.2.2"), "");
  plan = flavored({.data = 1, .tensor = 16});
  plan.layout.precision.compute = plan.layout.precision.parameters = ir::DataType::FP32;
  plan.layout.precision.head = ir::DataType::FP32;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T6");
  EXPECT_EQ(refusal(plan, "0.3.0"), "T7");
  plan = flavored({.data = 8});
  plan.layout.fusedAttention = false;
  EXPECT_EQ(refusal(plan), "T8");
}
TEST(TorchtitanRules, OfMeshes) {
  EXPECT_EQ(refusal(flavored({.pipeline = 2, .data = 4, .dataOutside = true})), "T9");
  ir::Plan plan = flavored({.data = 8});
  plan.cluster.nodes = 2;
  EXPECT_EQ(refusal(plan), "T10");
  plan = flavored({.data = 8});
  plan.model.context = 8193;
  EXPECT_EQ(refusal(plan), "T16");
  plan = flavored({.data = 2, .context = 4});
  plan.model.context = 8196;
  EXPECT_EQ(refusal(plan, "0.3.0"), "T17");
  plan = flavored({.data = 4, .tensor = 2});
  plan.layout.shard.sequence = ir::ShardAxis::None;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T19");
  EXPECT_EQ(refusal(plan, "0.3.0"), "");
}

ir::Plan routed(PlanSketch sketch) {
  sketch.experts = 128;
  return flavored(sketch, "qwen3", "30B-A3B");
}

TEST(TorchtitanRules, OfExperts) {
  const PlanSketch whole{.data = 4, .tensor = 4, .expert = 2, .expertTensor = 2};
  EXPECT_EQ(refusal(routed(whole), "0.2.2"), "T11");
  EXPECT_EQ(refusal(routed(whole), "0.3.0"), "T12");
  EXPECT_EQ(refusal(routed({.data = 4, .tensor = 2, .expert = 4})), "");
  EXPECT_EQ(refusal(routed({.data = 4, .tensor = 2})), "T12") << "experts are split over tensor";
  ir::Plan plan = routed({.data = 8, .expert = 8});
  for (ir::MeshAxis& axis : plan.mesh.expertAxes)
    if (axis.axis == ir::Axis::Expert)
      axis.size = 3;
  EXPECT_THAT(refusal(plan), AllOf(HasSubstr("T13"), HasSubstr("T14")));
}

TEST(TorchtitanRules, OfExpertsThatAreFewerThanTheirDevices) {
  // 128 experts of width 768 = 3 × 256 on a hidden size of 2048.
  EXPECT_EQ(refusal(routed({.data = 256, .batch = 512}), "0.3.0"), "");
  const PlanSketch wide{.data = 512, .batch = 512};
  EXPECT_EQ(refusal(routed(wide), "0.3.0"), "T42");
  EXPECT_EQ(refusal(routed(wide), "0.2.2"), "") << "whole experts without expert parallelism";
  const PlanSketch hidden{.data = 192, .expert = 2, .batch = 384}; // 96 shards divide 768, not 2048
  const PlanSketch width{.data = 1024, .expert = 2, .batch = 1024};
  const PlanSketch fitting{.data = 512, .expert = 2, .batch = 512};
  for (const char* release : {"0.2.2", "0.3.0"}) {
    EXPECT_EQ(refusal(routed(hidden), release), "T42") << release;
    EXPECT_EQ(refusal(routed(width), release), "T42") << release;
    EXPECT_EQ(refusal(routed(fitting), release), "") << release;
  }
}

/// A plan of DeepSeek-V3, which has experts and a pipeline in both releases.
ir::Plan latent(const PlanSketch& sketch) {
  ir::Plan plan = flavored(sketch);
  const torchtitan::Flavor& f = *torchtitan::flavorNamed("deepseek_v3", "671B", Release("0.2.2"));
  ir::Model& m = plan.model;
  m.hidden = f.hidden, m.vocab = f.vocab;
  ir::Attention& a = m.layerTypes[0].attention;
  a = {};
  a.kind = ir::AttentionKind::Latent, a.heads = a.kvHeads = f.heads, a.queryRank = f.queryRank;
  a.kvRank = 512, a.nope = 128, a.rope = 64, a.value = 128;
  m.layerTypes[0].feedForward = planOf({}).model.layerTypes[0].feedForward;
  m.layerTypes[0].feedForward.width = f.width;
  m.layerTypes.push_back(m.layerTypes[0]);
  ir::FeedForward& experts = m.layerTypes[1].feedForward;
  experts.kind = ir::FeedForwardKind::Experts, experts.width = f.expertWidth;
  experts.experts = f.experts, experts.active = f.active;
  experts.shared = 1, experts.sharedWidth = f.sharedWidth;
  m.runs = {{0, f.leadingDense}, {1, f.layers - f.leadingDense}};
  return plan;
}

TEST(TorchtitanRules, OfLatentAttention) {
  ir::Plan plan = latent({.data = 4, .tensor = 2});
  EXPECT_EQ(refusal(plan), "");
  plan.layout.precision.compute = ir::DataType::FP8;
  EXPECT_EQ(refusal(plan), "T36");
  plan.layout.precision.compute = ir::DataType::BF16;
  for (ir::MeshAxis& axis : plan.mesh.axes) // tensor 2 becomes context 2
    if (axis.axis == ir::Axis::Context || axis.axis == ir::Axis::Tensor)
      axis.size = axis.axis == ir::Axis::Context ? 2 : 1, axis.stride = 1;
  EXPECT_THAT(refusal(plan), HasSubstr("T18"));
  EXPECT_EQ(refusal(plan, "0.3.0"), "");
  for (ir::MeshAxis& axis : plan.mesh.axes) // 8 replicas, whose experts are on 1 rank each
    axis.size = axis.axis == ir::Axis::Replica ? 8 : 1;
  plan.mesh.expertAxes = {{ir::Axis::Expert, 2, 1, {}}};
  EXPECT_THAT(refusal(plan, "0.2.2"), HasSubstr("T15 T13"));
}

TEST(TorchtitanRules, OfPipelines) {
  ir::Plan plan = flavored({.data = 8});
  plan.layout.batch = 63;
  EXPECT_EQ(refusal(plan), "T20");
  EXPECT_EQ(refusal(flavored({.pipeline = 4, .data = 2, .batch = 4})), "T21");
  plan = flavored({.pipeline = 4, .data = 2, .batch = 4});
  plan.layout.schedule = ir::ScheduleKind::GPipe;
  EXPECT_EQ(refusal(plan), "");
  plan.layout.schedule = ir::ScheduleKind::ZeroBubbleH1; // from a table
  EXPECT_EQ(refusal(plan), "");
  plan.layout.schedule = ir::ScheduleKind::DualPipe;
  EXPECT_THAT(refusal(plan), HasSubstr("T44"));
  EXPECT_EQ(refusal(flavored({.pipeline = 2, .data = 4, .chunks = 2, .batch = 20})), "T22");
  EXPECT_EQ(refusal(flavored({.pipeline = 2, .data = 4}, "qwen3")), "T23");
  EXPECT_EQ(refusal(flavored({.pipeline = 2, .data = 4}, "qwen3", "4B"), "0.3.0"), "T24");
  EXPECT_EQ(refusal(flavored({.pipeline = 4, .data = 2, .layers = {16, 0, 8, 8}})), "T25");
  plan = flavored({.pipeline = 2, .data = 4});
  plan.chunks[0].head = true;
  EXPECT_EQ(refusal(plan), "T26");
}
TEST(TorchtitanRules, OfShards) {
  ir::Plan plan = flavored({.data = 8});
  plan.layout.shard.parameters = ir::ShardAxis::None;
  EXPECT_EQ(refusal(plan), "T27");
  plan = flavored({.data = 4, .tensor = 2});
  plan.layout.shard.parameters = plan.layout.shard.gradients = plan.layout.shard.optimizer =
      ir::ShardAxis::None;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T28 T29");
  EXPECT_EQ(refusal(plan, "0.3.0"), "");
  plan = flavored({.data = 8});
  plan.layout.overlap.gradients = false;
  EXPECT_EQ(refusal(plan), "T30");
  plan.layout.launchBlocking = true; // nothing overlaps, whatever FSDP does
  EXPECT_EQ(refusal(plan), "");
  plan.layout.overlap = {};
  plan.layout.overlap.experts = plan.layout.overlap.tensor = true;
  EXPECT_EQ(refusal(plan), "T31 T32");
}
TEST(TorchtitanRules, OfExpertsBesideDualPipeV) {
  const std::string setting = "pipeline_parallel_expert_parallel_overlap = ";
  ir::Plan plan = latent({.pipeline = 2, .data = 4, .chunks = 2, .experts = 256, .expert = 4});
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"), Not(HasSubstr(setting)));
  plan.layout.schedule = ir::ScheduleKind::DualPipeV; // with recomputation
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"), HasSubstr(setting + "false\n"));
  plan.layout.overlap.experts = true;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T54");
  EXPECT_EQ(refusal(plan, "0.3.0"), "T31");
  plan.layout.recompute.kind = ir::RecomputeKind::None;
  EXPECT_THAT(emitted(plan, "0.2.2", "train.toml"), HasSubstr(setting + "true\n"));
  plan.layout.schedule = ir::ScheduleKind::ZeroBubbleV;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T31");
  plan = flavored({.pipeline = 2, .data = 4, .chunks = 2});
  plan.layout.schedule = ir::ScheduleKind::DualPipeV;
  plan.layout.overlap.experts = true;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T31") << "no experts";
}
TEST(TorchtitanRules, OfCompiledLayersInBackwardsOfTwoParts) {
  using enum ir::ScheduleKind;
  ir::Plan plan = flavored({.pipeline = 2, .data = 2, .tensor = 2, .chunks = 2});
  plan.layout.overlap.tensor = true;
  for (const ir::ScheduleKind kind : {Interleaved, InterleavedZeroBubble, ZeroBubbleV, DualPipeV}) {
    plan.layout.schedule = kind;
    EXPECT_EQ(refusal(plan, "0.2.2"), kind == Interleaved ? "" : "T55");
    EXPECT_EQ(refusal(plan, "0.3.0"), "");
  }
}
TEST(TorchtitanRules, OfWhatContextRanksExchange) {
  ir::Plan plan = flavored({.data = 4, .context = 2});
  EXPECT_EQ(refusal(plan), ""); // a ring that nobody wrote
  plan.layout.ranges["communication_options.context_exchange"] = {};
  EXPECT_EQ(refusal(plan), "T50");
  plan.layout.communicationOptions = {ir::CommunicationOptions{}};
  plan.layout.communicationOptions.front().keys = ir::KeyExchangeKind::Gathered;
  EXPECT_EQ(refusal(plan), "");
}
TEST(TorchtitanRules, OfNumbersAndTheRest) {
  ir::Plan plan = flavored({.data = 8});
  plan.layout.precision.moments = ir::DataType::BF16;
  EXPECT_EQ(refusal(plan), "T33");
  plan = flavored({.data = 8});
  plan.layout.precision.reduce = ir::DataType::BF16;
  EXPECT_EQ(refusal(plan), "T34");
  plan = flavored({.data = 8});
  plan.layout.precision.head = ir::DataType::FP32;
  EXPECT_EQ(refusal(plan), "T35");
  plan = flavored({.data = 8});
  plan.layout.precision.compute = ir::DataType::FP8;
  EXPECT_EQ(refusal(plan, "0.3.0"), ""); // nobody asked for a scale by tensor
  plan.layout.ranges["precision.recipe"] = {};
  EXPECT_EQ(refusal(plan, "0.2.2"), "");
  EXPECT_EQ(refusal(plan, "0.3.0"), "T47");
  plan.layout.precision.recipe = ir::Fp8Recipe::Rowwise;
  EXPECT_EQ(refusal(plan, "0.2.2"), "");
  EXPECT_EQ(refusal(plan, "0.3.0"), "");
  plan.layout.precision.recipe = ir::Fp8Recipe::Delayed;
  EXPECT_EQ(refusal(plan), "T47");
  plan = flavored({.data = 8});
  plan.layout.recompute.method = ir::RecomputeMethod::Block;
  EXPECT_EQ(refusal(plan), "T37");
  plan.layout.recompute.kind = ir::RecomputeKind::None;
  plan.layout.optimizer = ir::OptimizerKind::Sgd;
  EXPECT_EQ(refusal(plan), "T38");
  plan = flavored({.data = 8});
  plan.layout.graphs = true;
  EXPECT_EQ(refusal(plan, "0.2.2"), "T39");
  EXPECT_EQ(refusal(plan, "0.3.0"), "");
  plan = flavored({.pipeline = 2, .data = 4});
  plan.layout.graphs = true;
  EXPECT_EQ(refusal(plan, "0.3.0"), "T40");
  plan = routed({.data = 8, .expert = 2});
  plan.layout.graphs = true;
  EXPECT_EQ(refusal(plan, "0.3.0"), "T41");
}

} // namespace
