//===- FineTuningReportsTest.cpp - Memory of published fine-tuning runs -----------------------===//
//
// tests/accuracy/memory.md has the sources. No constant is fitted to these runs.
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/ValueOf.h"
#include <fmt/format.h>

using namespace dpl;
using test::valueOf;

namespace {
struct Report {
  const char* name;
  const char* model; ///< the lines of its model
  const char* cluster;
  const char* layout;
  double published; ///< bytes
  bool tensors;     ///< bytes of tensors; otherwise of the whole process
  double within = 0.1;
};
constexpr double giga = 1e9, gibi = 1024.0 * 1024 * 1024;

constexpr const char* qwen7b = R"(decoder llm {
  layers = 32, hidden = 4096, heads = 32, vocab = 151_936, context = 8192tok
  ffn = gated { width = 11_008 }, qkv_bias = true
})";
constexpr const char* qwen14b = R"(decoder llm {
  layers = 40, hidden = 5120, heads = 40, vocab = 152_064, context = 8192tok
  ffn = gated { width = 13_696 }, qkv_bias = true
})";
constexpr const char* adaptedQwen = R"(
  batch = 8seq, recompute = full, kernels.loss = eager
  lora { rank = 64, dropout = 0.05, modules = [q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj] })";
constexpr const char* torchtune = R"(
  batch = 16seq, micro_batch = 2seq, recompute = full, kernels.loss = fused)";

const Report reports[] = {
    {"Qwen-7B, LoRA, 8192 tokens", qwen7b, "clusters.dgx_a100", adaptedQwen, 36.6 * giga, false},
    {"Qwen-14B, LoRA, 8192 tokens", qwen14b, "clusters.dgx_a100", adaptedQwen, 55.2 * giga, false},
    {"torchtune, Llama 3.1 8B, QLoRA", "model llm from models.llama3_8b { context = 2048tok }",
     "clusters.dgx_h100",
     R"(frozen_weights = nf4
  lora { rank = 8, modules = [q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj] })",
     // The logits are counted next to the recomputed layer, and are free by then.
     7.4 * gibi, true, 0.12},
    {"torchtune, Llama 3.1 70B, LoRA", "model llm from models.llama3_70b { context = 2048tok }",
     "clusters.dgx_a100",
     R"(shard { parameters = data, gradients = data, optimizer = data }
  lora { rank = 16, alpha = 32.0, modules = [q_proj, v_proj, o_proj, gate_proj, up_proj, down_proj] })",
     27.6 * gibi, true},
    {"LitGPT, Llama 2 7B, LoRA", "model llm from models.llama2_7b { context = 512tok }",
     "clusters.dgx_a100",
     R"(batch = 8seq, micro_batch = 2seq, kernels { loss = eager, norm = unfused, rotary = unfused, activation = unfused }
  lora { rank = 32, dropout = 0.05, modules = [q_proj, v_proj] })",
     19.77 * giga, true},
};

/// Weights, gradients and state in bf16 without a master copy, as all three programs hold them.
ir::Plan planOf(const Report& report) {
  const llvm::StringRef layout = report.layout;
  const bool sharded = layout.contains("shard");
  return test::completedPlan(
      "report.dpl", fmt::format(R"(
import std.models
import std.clusters
{}
cluster node from {} {{ nodes = 1 }}
layout plan for llm on node {{
  devices = {}
  mesh {{ data = {} }}
  precision {{ gradients = bf16, master_weights = none, moments = bf16 }}
  {}
  {}
}}
)",
                                report.model, report.cluster, sharded ? 8 : 1, sharded ? 8 : 1,
                                layout.contains("batch") ? "" : torchtune, report.layout));
}
} // namespace

TEST(FineTuningReports, AreWithinTenPercent) {
  for (const Report& report : reports) {
    const ir::Plan plan = planOf(report);
    const double peak = valueOf(plan, "memory.rank[0].peak");
    const double predicted =
        report.tensors ? peak - valueOf(plan, "memory.rank[0].non_tensor") : peak;
    EXPECT_NEAR(predicted / report.published, 1, report.within)
        << report.name << ": " << predicted / giga << " GB, published " << report.published / giga;
  }
}
