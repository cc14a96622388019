//===- PoliciesTest.cpp - What policies by operator keep, send away and run again -------------===//
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/ValueOf.h"
#include <fmt/format.h>

using namespace dpl;
using test::valueOf;

namespace {
constexpr double tokens = 2048, hidden = 2048, heads = 16, width = 5632, layers = 8;
// Bytes in 16 bits: the residual stream; queries, keys and values; what attention gives with a sum
// of each row; both halves of the gated part.
constexpr double stream = 2 * tokens * hidden, qkv = 3 * stream,
                 context = stream + 4 * tokens * heads, up = 2 * tokens * 2 * width;

ir::Plan planOf(const std::string& recompute, const std::string& model = "",
                const std::string& way = "1000GB/s") {
  return test::completedPlan(
      "plan.dpl", "import std.models\nimport std.clusters\n"
                  "model llm from models.decoder {\n"
                  "  layers = 8, hidden = 2048, heads = 16, vocab = 32_000, context = 2048tok\n"
                  "  ffn = gated { width = 5632 }\n  " +
                      model +
                      "\n}\ncluster pod from clusters.dgx_h100 {\n  nodes = 1\n"
                      "  node.gpu.host { link = " +
                      way +
                      ", memory = 50GB/s }\n}\n"
                      "layout plan for llm on pod {\n"
                      "  mesh { data = 8 }\n  batch = 64seq\n  micro_batch = 1seq\n"
                      "  shard.optimizer = data\n  recompute = " +
                      recompute + "\n}\n");
}

double keptBy(const std::string& policy) {
  return valueOf(planOf(fmt::format("saved {{ policy = {} }}", policy)), "layer[gated].kept");
}

/// FLOP of a layer that run again.
double again(const ir::Plan& plan) {
  return valueOf(plan, "recomputed_share") * valueOf(plan, "model.flop_per_token") * tokens /
         layers;
}
} // namespace

TEST(Policies, OfMaxText_KeepWhatTheyName) {
  EXPECT_EQ(keptBy("minimal"), stream + qkv + stream + up);
  EXPECT_EQ(keptBy("minimal_with_context"), stream + qkv + context + stream + up);
  EXPECT_EQ(keptBy("save_dot_with_context_except_mlp"), stream + qkv + context + stream);
  EXPECT_EQ(keptBy("save_dot_except_mlp"), stream + qkv + stream);
  EXPECT_EQ(keptBy("save_qkv_proj"), stream + qkv);
  EXPECT_EQ(keptBy("save_out_proj"), stream + stream);
  EXPECT_EQ(keptBy("save_dot_except_mlpwi"), keptBy("save_dot_except_mlp"))
      << "nothing reads the output of the last product, which is not kept then";
}

TEST(Policies, RunTheRestAgain_UpToWhatIsRead) {
  const double scores = 2 * 2 * tokens * tokens * hidden, square = 2 * tokens * hidden * hidden,
               wide = 2 * tokens * hidden * 2 * width;
  const auto share = [](const char* policy) {
    return again(planOf(fmt::format("saved {{ policy = {} }}", policy)));
  };
  EXPECT_NEAR(share("minimal_with_context"), 0, 1);
  EXPECT_NEAR(share("minimal") / scores, 1, 1e-9);
  EXPECT_NEAR(share("save_dot_except_mlp") / (scores + wide), 1, 1e-9);
  EXPECT_NEAR(share("save_qkv_proj") / (scores + wide + square), 1, 1e-9);
  EXPECT_NEAR(share("save_out_proj") / (scores + wide + 3 * square), 1, 1e-9);
}

TEST(Policies, OfOnesOwn_NameOperators) {
  const ir::Plan own = planOf("saved { operators = [context, up] }");
  EXPECT_EQ(valueOf(own, "layer[gated].kept"), stream + context + up);
  const ir::Plan more =
      planOf("saved { policy = save_qkv_proj, operators = [query_key_value, up] }");
  EXPECT_EQ(valueOf(more, "layer[gated].kept"), stream + qkv + up) << "what is written wins";
}

TEST(Policies, OffloadWhatTheyName_ButForTwoLayers) {
  const ir::Plan here = planOf("saved { policy = save_qkv_proj }"),
                 there = planOf("saved { policy = qkv_proj_offloaded }"),
                 inputs = planOf("saved { offloaded = [input, query_key_value] }");
  EXPECT_EQ(valueOf(there, "stage[0].kept"), valueOf(here, "stage[0].kept") - layers * qkv);
  EXPECT_EQ(valueOf(inputs, "stage[0].kept"),
            valueOf(here, "stage[0].kept") - layers * (qkv + stream));
  EXPECT_EQ(valueOf(there, "memory.peak"), valueOf(here, "memory.peak") - (layers - 2) * qkv);
  EXPECT_EQ(valueOf(there, "time.recompute"), valueOf(here, "time.recompute"));
  EXPECT_EQ(valueOf(there, "time.offload"), 0);
  const auto segments = [](const ir::Plan& plan) {
    return valueOf(plan, "memory.rank[0].segments");
  };
  EXPECT_LT(segments(there), segments(here) - (layers - 3) * qkv);
  EXPECT_LT(segments(inputs), segments(there) - (layers - 3) * stream);
}

TEST(Policies, OffloadOverALink_ThatEachPassWaitsFor) {
  const ir::Plan slow = planOf("saved { policy = qkv_proj_offloaded }", "", "1GB/s");
  const ir::ChunkProgram& program = slow.programs.front();
  EXPECT_NEAR(static_cast<double>(program.forward) * 1e-12, layers * qkv / 1e9, 1e-9);
  EXPECT_NEAR(static_cast<double>(program.backward) * 1e-12, layers * qkv / 1e9, 1e-9);
  EXPECT_GT(valueOf(slow, "time.offload"), 0);
}

TEST(Policies, BehindNormsOfTheirOwn_KeepWhatThoseRead) {
  const ir::Plan plan = planOf("saved { policy = save_dot_except_mlpwi }", "post_norms = true");
  EXPECT_EQ(valueOf(plan, "layer[gated].kept"), stream + qkv + 2 * stream);
}
