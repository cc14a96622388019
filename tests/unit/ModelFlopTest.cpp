//===- ModelFlopTest.cpp - The FLOP of a model, which MFU counts ------------------------------===//
#include "cost/compute/LayerCost.h"
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/ValueOf.h"
#include <fmt/format.h>

using namespace dpl;
using test::valueOf;

namespace {
ir::Plan mixtral(const std::string& ffn) {
  return test::completedPlan("plan.dpl",
                             "import std.models\nimport std.clusters\n"
                             "model m from models.mixtral_8x7b { layer.ffn { " +
                                 ffn +
                                 " } }\ncluster pod from clusters.dgx_h100 { nodes = 8 }\n"
                                 "layout plan for m on pod {\n  framework = megatron\n"
                                 "  mesh { data = rest, tensor = 2 within node, pipeline = 4, "
                                 "experts { expert = 8, tensor = 1 } }\n  batch = 1024seq\n}\n");
}

ir::Plan onH20(std::uint64_t context) {
  return test::completedPlan(
      "plan.dpl",
      fmt::format("import std.models\nimport std.clusters\n"
                  "model m from models.llama3_8b {{ context = {}tok }}\n"
                  "cluster pod from clusters.hgx_h20 {{ nodes = 2 }}\n"
                  "layout plan for m on pod {{\n  mesh {{ data = rest, context = 8 }}\n"
                  "  batch = 2seq\n  recompute = full\n"
                  "  shard {{ optimizer = data, parameters = data, gradients = data }}\n}}\n",
                  context));
}
} // namespace

TEST(ModelFlop, OfExperts_CountsNeitherPaddingNorRoundingUp) {
  const ir::Plan plain = mixtral("capacity_factor = none"),
                 padded = mixtral("capacity_factor = 1.0, pad_to_capacity = true"),
                 roomy = mixtral("capacity_factor = 1.5, pad_to_capacity = true");
  // 32 layers have attention GEMMs of 2·4096·(4096 + 2·1024 + 4096) FLOP per token, scores of
  // 4·4096·4096, a router of 2·8·4096 and two experts of three matrices with 6·4096·14336 each. The
  // head has 2·4096·32000.
  const double layer = 2.0 * 4096 * (4096 + 2048 + 4096) + 4.0 * 4096 * 4096 + 2.0 * 8 * 4096 +
                       2 * 6.0 * 4096 * 14336;
  const double model = 32 * layer + 2.0 * 4096 * 32000;
  for (const ir::Plan* plan : {&plain, &padded, &roomy})
    EXPECT_DOUBLE_EQ(valueOf(*plan, "model.forward_flop"), model);
  EXPECT_LT(valueOf(padded, "mfu"), 0.5);
  // Padded rows take time and do not count.
  EXPECT_LT(valueOf(roomy, "mfu"), valueOf(padded, "mfu"));
}

TEST(ModelFlop, OfExperts_LeavesOutWhatACapacityDrops) {
  const double all = valueOf(mixtral("capacity_factor = none"), "model.forward_flop"),
               half = valueOf(mixtral("capacity_factor = 0.5"), "model.forward_flop");
  EXPECT_DOUBLE_EQ(all - half, 32 * 6.0 * 4096 * 14336); // one of the two experts
  const ir::Plan skewed = mixtral("capacity_factor = 1.0, popularity = pareto { shape = 1.5 }");
  const double dropped = valueOf(skewed, "routing.dropped");
  EXPECT_GT(dropped, 0.05);
  EXPECT_NEAR(all - valueOf(skewed, "model.forward_flop"), dropped * 32 * 2 * 6.0 * 4096 * 14336,
              1e-9 * all);
}

TEST(ModelFlop, LeavesMaskedScoresOut_WhereKernelsThatSkipThemWouldPassThePeak) {
  // Kernels of the H20 reach 0.8 of its peak and run half of the scores, so that scores counted in
  // full would be above the peak.
  const ir::Plan usual = onH20(8192), lengthy = onH20(262'144);
  EXPECT_DOUBLE_EQ(valueOf(usual, "model.flop_per_token"),
                   3 * valueOf(usual, "model.forward_flop"));
  EXPECT_DOUBLE_EQ(
      valueOf(lengthy, "model.flop_per_token"),
      3 * (valueOf(lengthy, "model.forward_flop") - valueOf(lengthy, "model.forward_flop.masked")));
  // A score and its product with the value take 4·h FLOP; half of them are masked, in 32 layers.
  EXPECT_DOUBLE_EQ(valueOf(lengthy, "model.forward_flop.masked"), 32 * 2.0 * 4096 * 262'144);
  const figures::Figures figures(lengthy);
  EXPECT_LT(*figures.value("hfu"), 1);
  EXPECT_NE(figures.find("mfu")->note.find("masked scores"), std::string::npos);
}
