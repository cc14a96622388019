//===- PoliciesTest.cpp - What policies by operator keep, send away and run again -------------===//
#include "cost/compute/LayerCost.h"
#include "passes/PlanChanges.h"
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
                const std::string& way = "1000GB/s",
                const std::string& feedForward = "gated { width = 5632 }") {
  return test::completedPlan(
      "plan.dpl", "import std.models\nimport std.clusters\n"
                  "model llm from models.decoder {\n"
                  "  layers = 8, hidden = 2048, heads = 16, vocab = 32_000, context = 2048tok\n"
                  "  ffn = " +
                      feedForward + "\n  " + model +
                      "\n}\ncluster pod from clusters.dgx_h100 {\n  nodes = 1\n"
                      "  node.gpu.host { link_bandwidth = " +
                      way +
                      ", memory_bandwidth = 50GB/s }\n}\n"
                      "layout plan for llm on pod {\n"
                      "  mesh { data = 8 }\n  batch = 64seq\n  micro_batch = 1seq\n"
                      "  shard.optimizer = data\n  recompute = " +
                      recompute + "\n}\n");
}

double keptBy(const std::string& policy) {
  return valueOf(planOf(fmt::format("save_only {{ policy = {} }}", policy)),
                 "layer[gated].saved_activations");
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
    return again(planOf(fmt::format("save_only {{ policy = {} }}", policy)));
  };
  EXPECT_NEAR(share("minimal_with_context"), 0, 1);
  EXPECT_NEAR(share("minimal") / scores, 1, 1e-9);
  EXPECT_NEAR(share("save_dot_except_mlp") / (scores + wide), 1, 1e-9);
  EXPECT_NEAR(share("save_qkv_proj") / (scores + wide + square), 1, 1e-9);
  EXPECT_NEAR(share("save_out_proj") / (scores + wide + 3 * square), 1, 1e-9);
}

TEST(Policies, OfOnesOwn_NameOperators) {
  const ir::Plan own = planOf("save_only { operators = [context, up_proj] }");
  EXPECT_EQ(valueOf(own, "layer[gated].saved_activations"), stream + context + up);
  const ir::Plan more =
      planOf("save_only { policy = save_qkv_proj, operators = [qkv_proj, up_proj] }");
  EXPECT_EQ(valueOf(more, "layer[gated].saved_activations"), stream + qkv + up)
      << "what is written wins";
}

TEST(Policies, OffloadWhatTheyName_ButForTwoLayers) {
  const ir::Plan here = planOf("save_only { policy = save_qkv_proj }"),
                 there = planOf("save_only { policy = qkv_proj_offloaded }"),
                 inputs = planOf("save_only { offloaded = [input, qkv_proj] }");
  EXPECT_EQ(valueOf(there, "stage[0].saved_activations"),
            valueOf(here, "stage[0].saved_activations") - layers * qkv);
  EXPECT_EQ(valueOf(inputs, "stage[0].saved_activations"),
            valueOf(here, "stage[0].saved_activations") - layers * (qkv + stream));
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
  const ir::Plan slow = planOf("save_only { policy = qkv_proj_offloaded }", "", "1GB/s");
  const ir::ChunkPrograms& programs = slow.chunkPrograms.front();
  EXPECT_NEAR(static_cast<double>(programs.forward) * 1e-12, layers * qkv / 1e9, 1e-9);
  EXPECT_NEAR(static_cast<double>(programs.backward) * 1e-12, layers * qkv / 1e9, 1e-9);
  EXPECT_GT(valueOf(slow, "time.offload"), 0);
}

TEST(Policies, BehindNormsOfTheirOwn_KeepWhatThoseRead) {
  const ir::Plan plan = planOf("save_only { policy = save_dot_except_mlpwi }", "post_norms = true");
  EXPECT_EQ(valueOf(plan, "layer[gated].saved_activations"), stream + qkv + 2 * stream);
}

namespace {
constexpr double square = hidden * hidden, wide = hidden * width;
/// Of products in 8 bits, one by one: of query, key and value, of what attention gives, of both
/// halves of the gated part and of what brings it back.
constexpr double operands = tokens * (3 * hidden + hidden + 2 * hidden + width),
                 weights = 4 * square + 3 * wide;

ir::Plan narrow(const std::string& recompute, const std::string& more = "") {
  return planOf("save_only { " + recompute +
                " }\n  cuda_graphs = true\n  precision.compute = fp8\n  " + more);
}
double keptNarrow(const std::string& recompute, const std::string& more = "") {
  return valueOf(narrow(recompute, more), "layer[gated].saved_activations");
}
/// Bytes that the recomputation of a layer moves, of operators that no product paces.
double movedAgain(const ir::Plan& plan) {
  const ir::Device& device = plan.cluster.device();
  const double rate = static_cast<double>(device.memoryBandwidth) / 8 * device.sustainedMemory;
  return static_cast<double>(plan.costs.front().recompute) * 1e-12 * rate / layers;
}
} // namespace

TEST(Policies, WithQuantization_KeepTheOperandsOfEachProduct) {
  const double minimal = stream + qkv + stream + up;
  EXPECT_EQ(keptNarrow("policy = minimal"), minimal);
  EXPECT_EQ(keptNarrow("policy = minimal_with_quantization"), minimal + operands + weights);
  EXPECT_EQ(keptNarrow("policy = minimal_with_context_and_quantization"),
            minimal + context + operands + weights);
  EXPECT_EQ(keptNarrow("operators = [quantization]"), stream + operands + weights);
  EXPECT_EQ(keptNarrow("policy = minimal_with_quantization",
                       "shard { parameters = data, gradients = data }"),
            minimal + operands + weights / 8)
      << "of weights that are divided each rank keeps its part";
  EXPECT_EQ(keptNarrow("policy = minimal_with_quantization", "precision.parameters = fp8"),
            minimal + operands)
      << "the parameters themselves are in 8 bits";
}

TEST(Policies, WithQuantization_RunNothingAgainThatOnlyMakesThem) {
  // Both norms read and write 16 bits, as the gated activation does of two and one; a cast reads 16
  // bits and writes 8 twice.
  const double norms = 2 * 4 * tokens * hidden, activation = 6 * tokens * width,
               cast = 4 * tokens * width, casts = 4 * tokens * 3 * hidden + cast,
               residual = 6 * tokens * hidden;
  const ir::Plan with = narrow("policy = minimal_with_context_and_quantization");
  EXPECT_NEAR(movedAgain(with) / residual, 1, 1e-6);
  EXPECT_NEAR(movedAgain(narrow("policy = minimal_with_context")) /
                  (residual + norms + activation + casts),
              1, 1e-6);
  // A product that runs again takes its operand in the other order; the last one does not run.
  const double all = movedAgain(narrow("operators = [input]")),
               kept = movedAgain(narrow("operators = [quantization]"));
  EXPECT_NEAR((all - kept) / (activation + cast), 1, 1e-3);
}

TEST(Policies, OfQuantizationInOtherTypes_CountTheirScales) {
  const ir::Plan plan = narrow("policy = minimal_with_quantization");
  cost::Division division = cost::divisionOf(plan);
  const auto kept = [&](ir::DataType type) {
    division.compute = type;
    double bytes = 0;
    for (const cost::OperatorCost& op :
         cost::operatorsOf(plan.model, plan.model.layerTypes.front(), division))
      bytes += std::string(op.name) == "quantized" ? op.unsavedOutput : 0;
    return bytes;
  };
  EXPECT_EQ(kept(ir::DataType::FP8), operands + weights);
  EXPECT_EQ(kept(ir::DataType::MXFP8), (operands + weights) * 33 / 32);
  EXPECT_EQ(kept(ir::DataType::NVFP4), (operands + weights) * 9 / 16);
  EXPECT_EQ(kept(ir::DataType::BF16), 0) << "nothing is quantized";
}

TEST(Policies, OfQuantization_LeaveOutWhatHasNoName) {
  EXPECT_EQ(keptNarrow("policy = minimal_with_quantization", "precision.recipe = rowwise"),
            keptNarrow("policy = minimal", "precision.recipe = rowwise"));
  EXPECT_EQ(keptBy("minimal_with_quantization"), keptBy("minimal"));
}

TEST(Policies, OfQuantizationOffloaded_TakeItToTheHost) {
  const ir::Plan here = narrow("operators = [quantization]"),
                 there = narrow("offloaded = [quantization]");
  EXPECT_EQ(valueOf(there, "stage[0].saved_activations"),
            valueOf(here, "stage[0].saved_activations") - layers * (operands + weights));
}

TEST(Policies, OfQuantization_NameNothingOfExperts) {
  const auto moe = [](const char* recompute) {
    const ir::Plan plan = planOf(
        std::string("save_only { ") + recompute + " }\n  precision.compute = fp8", "", "1000GB/s",
        "experts { count = 8, top_k = 2, width = 512, shared = 1, shared_width = 512 }");
    return valueOf(plan, "layer[experts].saved_activations");
  };
  // Query, key and value, what attention gives and the shared expert, whose norm the router reads.
  const double shared =
      tokens * (3 * hidden + hidden + 2 * hidden + 512) + 4 * square + 3 * hidden * 512;
  EXPECT_EQ(moe("operators = [up_proj, quantization]") - moe("operators = [up_proj]"), shared);
}

TEST(Policies, OfQuantization_RunTheNormOfARouterAgain) {
  const auto again = [](const char* feedForward) {
    const ir::Plan plan =
        planOf("save_only { policy = minimal_with_quantization }\n  precision.compute = fp8",
               "blocks = parallel", "1000GB/s", feedForward);
    for (const cost::OperatorCost& op :
         cost::operatorsOf(plan.model, plan.model.layerTypes.front(), cost::divisionOf(plan)))
      if (std::string(op.name) == "attention norm")
        return op.recomputable;
    return false;
  };
  EXPECT_FALSE(again("gated { width = 5632 }")) << "only products read it, quantized";
  EXPECT_TRUE(again("experts { count = 8, top_k = 2, width = 512 }"));
}

TEST(Policies, OfQuantization_AreTriedWhereTheyHaveTheName) {
  const auto tried = [](const std::string& precision) {
    for (const ChangeFamily& family :
         planChanges(planOf("none\n  framework = maxtext\n  " + precision)))
      for (const PlanChange& change : family.changes)
        if (change.text.find("up_proj, quantization]") != std::string::npos)
          return true;
    return false;
  };
  EXPECT_TRUE(tried("precision.compute = fp8"));
  EXPECT_FALSE(tried("precision.compute = bf16"));
}
