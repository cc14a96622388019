//===- HostMemoryTest.cpp - Offloaded tensors in host memory ----------------------------------===//
#include "cost/step/HostMemory.h"
#include "cost/memory/RankMemory.h"
#include "ir/Arithmetic.h"
#include "passes/CheckHostMemory.h"
#include "passes/MemoryFixes.h"
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/ValueOf.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;
using test::valueOf;

namespace {
/// A model of eight layers with 51.4 million parameters each, on `nodes` nodes of eight devices.
ir::Plan planOf(const std::string& fields, const std::string& mesh = "data = rest",
                const std::string& cluster = "nodes = 1, node.memory = 2TiB") {
  return test::completedPlan(
      "plan.dpl", "import std.models\nimport std.clusters\n"
                  "model llm from models.decoder {\n"
                  "  layers = 8, hidden = 2048, heads = 16, vocab = 32_000\n"
                  "  context = 2048tok\n  ffn = gated { width = 5632 }\n}\n"
                  "cluster pod from clusters.dgx_h100 { " +
                      cluster +
                      " }\n"
                      "layout plan for llm on pod {\n  mesh { " +
                      mesh + " }\n  batch = 64seq\n  micro_batch = 1seq\n  " + fields + "\n}\n");
}
const std::string zero3 = "shard { optimizer = data, gradients = data, parameters = data }\n  ",
                  zero2 = "shard { optimizer = data, gradients = data }\n  ",
                  all = "offload { optimizer = 1, parameters = true }";
/// Offloaded bytes of all devices together.
double elementsOf(const ir::Plan& plan) { return valueOf(plan, "memory.rank[0].parameter_count"); }
} // namespace

TEST(HostMemory, OfNothing_IsNothing) {
  const ir::Plan plan = planOf(zero3);
  EXPECT_TRUE(cost::offloadedOf(plan).empty());
  EXPECT_FALSE(cost::fullestNode(plan));
}

/// Each parameter has 12 bytes of fp32 master weights and moments, 4 of gradients and 2 of bf16
/// weights.
TEST(HostMemory, OfAllState_HasEachParameterOnce_WhereDataRanksDivideIt) {
  const ir::Plan plan = planOf(zero3 + all);
  const double elements = elementsOf(plan);
  EXPECT_NEAR(valueOf(plan, "memory.host.optimizer"), 12 * elements, 8);
  EXPECT_NEAR(valueOf(plan, "memory.host.gradients"), 4 * elements, 8);
  EXPECT_NEAR(valueOf(plan, "memory.host.parameters"), 2 * elements, 8);
  EXPECT_NEAR(valueOf(plan, "memory.host"), 18 * elements, 24);
  EXPECT_EQ(valueOf(plan, "memory.host.usable"), 2.0 * (1ULL << 40));
}

TEST(HostMemory, OfWholeState_HasItOncePerDevice) {
  const ir::Plan plan = planOf("offload.optimizer = 0.5");
  EXPECT_NEAR(valueOf(plan, "memory.host"), 8 * (6 + 2) * elementsOf(plan), 16)
      << "half of 12 bytes, and the gradients of that half";
}

TEST(HostMemory, OfTwoNodes_HoldsHalfEach) {
  const ir::Plan one = planOf(zero3 + all), two = planOf(zero3 + all, "data = rest", "nodes = 2");
  EXPECT_NEAR(valueOf(two, "memory.host"), valueOf(one, "memory.host") / 2, 64);
}

/// runtime/zero/stage3.py of DeepSpeed holds, in addition to 12 bytes of state, an fp32 gradient of
/// each tile, the buffer of gradients, and bf16 weights in one flat tensor. All three are pinned
/// and so rounded up to a power of two bytes.
TEST(HostMemory, OfDeepspeed_HasItsPinnedCopies) {
  const ir::Plan plan =
      planOf("framework = deepspeed\n  precision.gradients = bf16\n  " + zero3 + all);
  const auto part = static_cast<std::uint64_t>(elementsOf(plan) / 8);
  EXPECT_GT(part, 64U << 20) << "the next powers of two of 4 and 2 bytes each are 512 and 256 MiB";
  EXPECT_LT(part, 128U << 20);
  EXPECT_EQ(valueOf(plan, "memory.rank[0].offloaded.gradients"), (512.0 + 256) * (1 << 20));
  EXPECT_EQ(valueOf(plan, "memory.rank[0].offloaded.parameters"), 256.0 * (1 << 20));
  EXPECT_NEAR(valueOf(plan, "memory.rank[0].offloaded.optimizer"), 12 * elementsOf(plan) / 8, 8);
}

/// runtime/zero/stage_1_and_2.py holds an fp32 gradient, bf16 sums of several micro-batches and
/// bf16 weights on their way to the device.
TEST(HostMemory, OfDeepspeedBelowStageThree_SumsMicroBatchesThere) {
  const ir::Plan plan = planOf("framework = deepspeed\n  precision.gradients = bf16\n  " + zero2 +
                               "offload { optimizer = 1, gradients = true }");
  EXPECT_EQ(valueOf(plan, "memory.rank[0].offloaded.gradients"), (512.0 + 256) * (1 << 20));
  EXPECT_EQ(valueOf(plan, "memory.rank[0].offloaded.parameters"), 256.0 * (1 << 20));
}

/// HybridDeviceOptimizer of Megatron-LM holds fp32 weights, two moments and fp32 gradients of the
/// offloaded share.
TEST(HostMemory, OfMegatron_HasFourFp32TensorsOfTheShare) {
  const ir::Plan plan = planOf("framework = megatron\n  precision.gradients = bf16\n  "
                               "shard.optimizer = data\n  offload.optimizer = 0.5");
  EXPECT_NEAR(valueOf(plan, "memory.host"), 16 * elementsOf(plan) / 2, 32);
}

TEST(HostMemory, OfActivations_IsThatOfTheMicroBatchesThatAreLive) {
  const ir::Plan plan = planOf("offload.activations = 2", "pipeline = 4 within node, data = rest");
  const double layer = valueOf(plan, "layer[gated].saved_activations");
  // 1F1B: rank r of 4 holds 4 − r micro-batches of its two layers.
  for (int rank = 0; rank < 4; ++rank)
    EXPECT_EQ(valueOf(plan, fmt::format("memory.rank[{}].offloaded.activations", rank).c_str()),
              (4 - rank) * 2 * layer);
  EXPECT_EQ(valueOf(plan, "memory.host"), 2 * (4 + 3 + 2 + 1) * 2 * layer) << "two replicas a node";
}

TEST(HostMemory, OfUnevenStages_IsThatOfTheFullestNode) {
  const ir::Plan plan = planOf("split = [1, 3, 3, 1]\n  offload.activations = 3",
                               "pipeline = 4, data = rest", "nodes = 4");
  const auto node = cost::fullestNode(plan);
  ASSERT_TRUE(node);
  const double layer = valueOf(plan, "layer[gated].saved_activations");
  EXPECT_EQ(node->node, 1U) << "three layers of three micro-batches; the first has one of four";
  EXPECT_EQ(ir::real(node->needed), 8 * 3 * 3 * layer);
}

TEST(HostMemory, OfATypeOfNodesWithLess_IsJudgedByWhatItHas) {
  const ir::Plan plan = planOf(zero3 + all, "data = rest",
                               "nodes = 4, node.memory = 2TiB\n"
                               "  node_pool[\"small\"] { nodes = 1, node.memory = 4GiB }\n");
  const auto node = cost::fullestNode(plan);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->node, 3U);
  EXPECT_EQ(node->memory, 4ULL << 30);
  EXPECT_EQ(valueOf(plan, "memory.host.usable"), 4.0 * (1ULL << 30));
}

/// An offload that the node cannot hold is not proposed for a device that lacks memory.
TEST(HostMemory, OfAProposal_IsWhatANodeHas) {
  const auto offered = [](const std::string& memory) {
    ir::Plan plan = planOf("", "data = rest", "nodes = 1" + memory);
    for (ir::NodeType& nodes : plan.cluster.nodeTypes)
      nodes.device.memory = ir::tightest(plan.memory)->peak() - 1;
    plan.memory = cost::memoryOf(plan);
    bool found = false;
    for (const MemoryOutcome& out : memoryFixes(plan, {}).found) {
      found = found || out.text.find("offload.optimizer") != std::string::npos;
      if (out.host) {
        EXPECT_TRUE(out.host->fits()) << out.text;
      }
    }
    return found;
  };
  EXPECT_TRUE(offered(", node.memory = 2TiB"));
  EXPECT_TRUE(offered(""));
  EXPECT_FALSE(offered(", node.memory = 1GiB"));
}
