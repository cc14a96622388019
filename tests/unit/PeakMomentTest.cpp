//===- PeakMomentTest.cpp - What runs where a rank holds most ---------------------------------===//
#include "cost/step/Timeline.h"
#include "tests/unit/CompiledPlan.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
ir::Plan planOf(const std::string& vocab, const std::string& fields) {
  return test::completedPlan("plan.dpl",
                             "import std.models\nimport std.clusters\n"
                             "model llm from models.decoder {\n"
                             "  layers = 4, hidden = 1024, heads = 8, kv_heads = 8\n"
                             "  ffn = gated { width = 8192 }, context = 4096tok, vocab = " +
                                 vocab +
                                 "\n}\ncluster node from clusters.dgx_h100 { nodes = 1 }\n"
                                 "layout plan for llm on node {\n  batch = 64seq\n  " +
                                 fields + "\n}\n");
}
} // namespace

TEST(PeakMoment, NamesThePartAndItsLargestOperator) {
  const cost::PeakMoment loss =
      cost::peakMoment(planOf("256_000", "mesh { data = 8 }\n  kernels.loss = eager"), 0);
  EXPECT_EQ(loss.running.kind, ir::ActionKind::Backward);
  EXPECT_EQ(loss.module, "head");
  EXPECT_EQ(loss.op, "loss");
  const cost::PeakMoment layer =
      cost::peakMoment(planOf("1024", "mesh { data = 8 }\n  recompute = full"), 0);
  EXPECT_EQ(layer.module, "layer[gated]");
  EXPECT_EQ(layer.op, "mlp up");
  // Gradients of a pass that are summed at its end are all there then.
  const cost::PeakMoment end = cost::peakMoment(
      planOf("256_000",
             "mesh { data = 8 }\n  buffers.micro_batch_gradients = fp32\n  kernels.loss = fused"),
      0);
  EXPECT_EQ(end.op, "");
  // The optimizer's step is no part of a pass.
  EXPECT_TRUE(cost::peakMoment(planOf("256_000",
                                      "mesh { data = 8 }\n  shard.optimizer = data\n  "
                                      "buffers.flat_parameter_gather = true\n  recompute = full\n"
                                      "  kernels.loss = fused"),
                               0)
                  .update);
}

/// What is recomputed and the gradients of a pass are there while it runs backward.
TEST(PeakMoment, OfAForwardPass_IsLessThanOfItsBackwardPass) {
  const ir::Plan plan = planOf("1024", "mesh { data = 8 }\n  recompute = full");
  const std::vector<cost::MemorySample> curve = cost::memoryOverStep(plan, 0);
  const cost::PeakMoment moment = cost::peakMoment(plan, 0);
  const auto most = std::max_element(
      curve.begin(), curve.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  EXPECT_EQ(most->bytes, plan.memory[0].peak());
  EXPECT_EQ(most->time, moment.time);
  EXPECT_GT(moment.time, 0U);
  EXPECT_LT(curve.front().bytes, most->bytes);
}
