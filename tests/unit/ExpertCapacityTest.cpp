//===- ExpertCapacityTest.cpp - What a capacity factor changes in a plan ----------------------===//
#include "driver/workspace/Workspace.h"
#include "figures/Figures.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
/// 8 experts of which a token visits 2, on 8 expert ranks with 4096 tokens each.
class Planned {
public:
  explicit Planned(const std::string& capacity) {
    Workspace workspace;
    workspace.overlay("main.dpl", "import std.models\nimport std.clusters\n"
                                  "model llm from models.decoder {\n layers = 4, hidden = 1024\n"
                                  " heads = 8, vocab = 32_000, context = 4096tok\n"
                                  " ffn = experts { count = 8, top_k = 2, width = 2048" +
                                      capacity +
                                      " }\n}\n"
                                      "cluster node from clusters.dgx_h100 { nodes = 1 }\n"
                                      "layout plan for llm on node {\n batch = 8seq\n"
                                      " mesh { data = 8, experts { expert = 8 } }\n}\n");
    DiagnosticEngine diags;
    const std::unique_ptr<CompiledUnit> unit = workspace.compile("main.dpl", diags);
    EXPECT_EQ(diags.errors(), 0U) << renderText(diags, workspace.sources(), false);
    plan = unit->file->plans.at(0);
    EXPECT_TRUE(Workspace::complete(plan, diags).succeeded());
    figures.emplace(plan, figures::FieldLocator(), figures::Depth::Operators);
  }
  double operator()(const char* path) const { return figures->value(path).value_or(std::nan("")); }
  ir::Plan plan;
  std::optional<figures::Figures> figures;
};
} // namespace

TEST(ExpertCapacity, BelowTheEvenShare_LowersWhatExpertsComputeAndExchange) {
  const Planned whole(""), half(", capacity_factor = 0.5"), roomy(", capacity_factor = 1.5");
  // 4096 × 2 copies of 1024 elements in two bytes; ⌈0.5 × 1024⌉ of the 1024 rows of an expert stay.
  const char* rows = "layer[experts].operator[expert up].m";
  EXPECT_EQ(whole(rows), 8192);
  EXPECT_EQ(half(rows), 4096);
  EXPECT_EQ(half("layer[experts].operator[expert up].forward.flop"), 2.0 * 4096 * 4096 * 1024);
  EXPECT_EQ(whole("memory.dispatched_tokens"), 2.0 * 8192 * 1024 * 2);
  EXPECT_EQ(half("memory.dispatched_tokens"), 2.0 * 4096 * 1024 * 2);
  const char* sent = "communication[expert].tokens.all_to_all.node";
  EXPECT_NEAR(half(sent), whole(sent) / 2, 1);
  EXPECT_LT(half("step_time"), whole("step_time"));
  // Room that even routing does not need; nothing is padded.
  EXPECT_EQ(roomy(rows), 8192);
  EXPECT_EQ(roomy("step_time"), whole("step_time"));
}

/// As with Megatron-LM's --moe-pad-expert-input-to-capacity.
TEST(ExpertCapacity, Padded_IsWhatExpertsComputeKeepAndExchangeWhateverComes) {
  const Planned even(""), roomy(", capacity_factor = 1.5, pad_to_capacity = true"),
      busy(", capacity_factor = 1.5, pad_to_capacity = true, imbalance = 1.2"),
      tight(", capacity_factor = 0.5, pad_to_capacity = true, imbalance = 3.0"),
      chance(
          ", capacity_factor = 1.5, pad_to_capacity = true, popularity = pareto { shape = 2.0 }");
  const char* rows = "layer[experts].operator[expert up].m";
  EXPECT_EQ(even(rows), 8192);
  EXPECT_EQ(roomy(rows), 1.5 * 8192);
  EXPECT_EQ(busy(rows), 1.5 * 8192) << "more than 1.2 would come";
  EXPECT_EQ(tight(rows), 0.5 * 8192);
  EXPECT_EQ(chance(rows), 1.5 * 8192);
  EXPECT_EQ(roomy("memory.dispatched_tokens"), 2.0 * 1.5 * 8192 * 1024 * 2);
  EXPECT_GT(roomy("layer[experts].saved_activations"), even("layer[experts].saved_activations"));
  EXPECT_GT(roomy("step_time"), even("step_time"));
  EXPECT_EQ(roomy("step_time"), busy("step_time"));
}
