//===- ExpertPracticeTest.cpp - Saved activations and graph launches of experts ---------------===//
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/ValueOf.h"

using namespace dpl;
using test::valueOf;

namespace {
ir::Plan moe(const std::string& model, const std::string& rest) {
  return test::completedPlan(
      "plan.dpl", "import std.models\nimport std.clusters\nmodel moe from models." + model +
                      "\ncluster node from clusters.dgx_b200 { nodes = 1 }\n"
                      "layout plan for moe on node {\n" +
                      rest + "}\n");
}
constexpr const char* titan = "  framework = torchtitan { compiled = true }\n  batch = 64seq\n"
                              "  micro_batch = 2seq\n"
                              "  recompute = selective { modules = [every_other_matmul] }\n";
} // namespace

TEST(ExpertPractice, TorchtitansList_KeepsProductsAttentionAndWhatCollectivesBring) {
  // There are 2 sequences of 4096 tokens, 32 query heads and 4 heads of keys and values of size
  // 128. Saved are the first and the third of the GEMMs q, k, v and projection, attention with its
  // softmax sums, and the input of the layer.
  const double tokens = 2.0 * 4096,
               dense = tokens * ((32 + 4) * 128 * 2 + 32 * 128 * 2 + 32 * 4 + 2048 * 2);
  const ir::Plan alone =
      moe("qwen3_30b_a3b { context = 4096tok }", std::string(titan) + "  mesh { data = 8 }\n");
  EXPECT_DOUBLE_EQ(valueOf(alone, "layer[experts].saved_activations"), dense);
  // With expert ranks the received copies of tokens and the received outputs of experts are also
  // saved: 8 per token, twice.
  const ir::Plan ranks = moe("qwen3_30b_a3b { context = 4096tok }",
                             std::string(titan) + "  mesh { data = 8, experts { expert = 8 } }\n");
  EXPECT_DOUBLE_EQ(valueOf(ranks, "layer[experts].saved_activations"),
                   dense + 2 * 8 * tokens * 2048 * 2);
}

TEST(ExpertPractice, Graphs_LeaveTheLaunchesOfExpertsWhoseRowsChange) {
  const std::string mesh = "  mesh { data = 8, experts { expert = 8 } }\n  batch = 8seq\n";
  const auto launches = [&](const std::string& rest) {
    const ir::Plan plan = moe("qwen3_30b_a3b { context = 4096tok }", mesh + rest);
    const figures::Figures figures(plan, {}, figures::Depth::Operators);
    return figures.value("layer[experts].forward.launches").value_or(0);
  };
  // DeepEP launches 7 kernels before the experts and 2 after them. Each of the two GEMMs launches
  // one kernel for each of 16 experts and one for their layout; the activation launches 2.
  EXPECT_EQ(launches("  cuda_graphs = true\n"), 7 + 2 * (1 + 16) + 2 + 2);
  EXPECT_GT(launches(""), 60);
  const ir::Plan dense =
      moe("llama3_8b", "  mesh { data = 8 }\n  batch = 8seq\n  cuda_graphs = true\n");
  EXPECT_EQ(valueOf(dense, "time.launch_bound"), 0);
}
