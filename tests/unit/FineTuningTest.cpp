//===- FineTuningTest.cpp - Optimizers, frozen weights, adapters and documents ----------------===//
#include "cost/compute/OptimizerRow.h"
#include "cost/compute/WeightUse.h"
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/ValueOf.h"
#include <fmt/format.h>

using namespace dpl;
using test::valueOf;

namespace {
/// Llama 3 8B on devices of one node, 4,096 tokens per micro-batch.
ir::Plan llama(const std::string& lines, const std::string& mesh = "data = 1",
               const std::string& devices = "1") {
  return test::completedPlan("plan.dpl", fmt::format(R"(
import std.models
import std.clusters
model llm from models.llama3_8b {{ context = 2048tok }}
cluster node from clusters.dgx_h200 {{ nodes = 1 }}
layout plan for llm on node {{
  devices = {}
  mesh {{ {} }}
  batch = 16seq
  micro_batch = 2seq
  {}
}}
)",
                                                     devices, mesh, lines));
}

/// The same on eight devices with sharded state, so that all weights may be trained.
ir::Plan sharded(const std::string& lines) {
  return llama("shard { parameters = data, gradients = data, optimizer = data }\n  " + lines,
               "data = 8", "8");
}

constexpr const char* everywhere =
    "lora { rank = 8, modules = [q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj] }";
/// Weights of the GEMMs of a layer: queries and output 4096², keys and values 4096 × 1024 each,
/// gate, up and down 4096 × 14336 each.
constexpr double gemms = 32 * (2 * 4096.0 * 4096 + 2 * 4096.0 * 1024 + 3 * 4096.0 * 14336);
constexpr double all = 8'030'261'248; // of the released model
/// 8 × (rows + columns) of the same matrices.
constexpr double adapters = 32 * 8 * (2 * 8192.0 + 2 * (4096 + 1024.0) + 3 * (4096 + 14336.0));
} // namespace

TEST(FineTuning, AdaptersHaveTheParametersThatPeftPrints) {
  const ir::Plan plan = llama(everywhere);
  EXPECT_EQ(adapters, 20'971'520) << "print_trainable_parameters of PEFT for this model and rank";
  EXPECT_EQ(valueOf(plan, "model.adapter_parameters"), adapters);
  EXPECT_EQ(valueOf(plan, "model.trained_parameters"), adapters);
  EXPECT_EQ(valueOf(plan, "model.parameters"), all) << "adapters are not part of the model";
  EXPECT_EQ(valueOf(plan, "memory.rank[0].trained_parameter_count"), adapters);
}

TEST(FineTuning, FrozenWeightsHaveNoGradientAndNoState) {
  const ir::Plan plan = llama(everywhere);
  EXPECT_EQ(valueOf(plan, "memory.rank[0].parameters"), 2 * (all + adapters));
  EXPECT_EQ(valueOf(plan, "memory.rank[0].gradients"), 4 * adapters);
  EXPECT_EQ(valueOf(plan, "memory.rank[0].optimizer"), 12 * adapters);
  EXPECT_EQ(valueOf(plan, "checkpoint.bytes"), 14 * adapters);
  const ir::Plan wide = llama(std::string(everywhere) + "\n  frozen_weights = fp32");
  EXPECT_EQ(valueOf(wide, "memory.rank[0].parameters"), 4 * all + 2 * adapters);
}

TEST(FineTuning, QuantizedWeightsTakeFourBitsAndTheirConstants) {
  const ir::Plan plan = llama(std::string(everywhere) + "\n  frozen_weights = nf4");
  EXPECT_EQ(valueOf(plan, "memory.rank[0].quantized_parameter_count"), gemms);
  const double bits = 4 + 8.0 / 64 + 32.0 / (64 * 256);
  EXPECT_NEAR(valueOf(plan, "memory.rank[0].parameters"),
              gemms * bits / 8 + 2 * (all - gemms) + 2 * adapters, 2);
  const ir::Plan once =
      llama(std::string(everywhere) + "\n  frozen_weights = nf4 { double_quantization = false }");
  EXPECT_NEAR(valueOf(once, "memory.rank[0].parameters") -
                  valueOf(plan, "memory.rank[0].parameters"),
              gemms * (0.5 - (bits - 4)) / 8, 2);
  // Each pass reads the packed weights and writes them in 16 bits.
  EXPECT_GT(valueOf(plan, "stage[0].forward"), valueOf(llama(everywhere), "stage[0].forward"));
}

TEST(FineTuning, FrozenGemmsHaveNoWeightGradients) {
  const double trained = valueOf(sharded(""), "model.flop_per_token"),
               forward = valueOf(sharded(""), "model.forward_flop"), head = 2 * 4096.0 * 128'256;
  EXPECT_EQ(trained, 3 * forward);
  // Of the GEMMs the weight gradients are missing, and of the scores nothing.
  const ir::Plan plan = llama("frozen = [embedding, attention, ffn, head]");
  EXPECT_NEAR(valueOf(plan, "model.flop_per_token"), trained - 2 * gemms - head, 1e-6 * trained);
  // Adapters add three GEMMs of their own size.
  EXPECT_NEAR(valueOf(llama(everywhere), "model.flop_per_token"),
              trained - 2 * gemms - head + 3 * 2 * adapters, 1e-6 * trained);
}

TEST(FineTuning, InputsOfFrozenGemmsAreNotSaved) {
  const auto saved = [](const std::string& lines) {
    return valueOf(sharded(lines), "stage[0].saved_activations");
  };
  const std::string frozen = "frozen = [embedding, attention, ffn, head]";
  // Outputs of two norms and of the activation, and of the final norm, 2 bytes each.
  const double tokens = 4096, inputs = 32 * 2 * tokens * (2 * 4096 + 14336) + 2 * tokens * 4096;
  EXPECT_EQ(saved("") - saved(frozen), inputs);
  // An adapter of the down projection needs the activation, and saves its product with A.
  EXPECT_EQ(saved("lora { rank = 8, modules = [down_proj] }") - saved(frozen),
            32 * 2 * tokens * (14336 + 8));
  // With dropout it saves its own input and a mask of one byte.
  EXPECT_EQ(saved("lora { rank = 8, dropout = 0.1, modules = [down_proj] }") - saved(frozen),
            32 * tokens * (3 * 14336 + 2 * 8));
}

TEST(FineTuning, OnlyTrainedGradientsAreReduced) {
  const ir::Plan plan = llama(everywhere, "data = 8", "8");
  double reduced = 0;
  for (const ir::Collective& c : plan.collectives)
    if (c.purpose == ir::CollectivePurpose::GradientReduce)
      reduced += static_cast<double>(c.bytes) * static_cast<double>(c.count);
  EXPECT_NEAR(reduced, 4 * adapters, 64);
}

TEST(Optimizers, HaveTheStateOfTheirRow) {
  const auto state = [](const char* optimizer) {
    return valueOf(llama(fmt::format("shard.optimizer = data\n  optimizer = {}\n"
                                     "  precision.master_weights = none",
                                     optimizer),
                         "data = 8", "8"),
                   "memory.rank[0].optimizer") *
           8;
  };
  const double matrices = gemms, tables = 2 * 128'256.0 * 4096;
  EXPECT_NEAR(state("adamw"), 8 * all, 8);
  EXPECT_NEAR(state("adamw_8bit"), all * 2 * (1 + 4.0 / 256), 8);
  EXPECT_NEAR(state("lion"), 4 * all, 8);
  EXPECT_NEAR(state("sgd"), 4 * all, 8);
  EXPECT_EQ(state("sgd { momentum = 0.0 }"), 0);
  EXPECT_NEAR(state("muon"), 4 * matrices + 8 * (all - matrices), 8);
  // One sum for each row and column of seven matrices and two tables; the gains have a moment.
  const double sums = 32 * (2 * 8192.0 + 2 * 5120 + 3 * 18'432) + 2 * (128'256.0 + 4096);
  EXPECT_NEAR(state("adafactor"), 4 * (sums + all - matrices - tables), 8);
}

TEST(Optimizers, MuonOrthogonalizesItsShareOfTheMatrices) {
  // 30 n³ for a square matrix; 5 (4 m² n + 2 m³) for others (Keller Jordan).
  const double n = 4096;
  EXPECT_EQ(cost::orthogonalizationFlop(n, n), 30 * n * n * n);
  EXPECT_EQ(cost::orthogonalizationFlop(14336, n), 5 * (4 * n * n * 14336 + 2 * n * n * n));
  const double each = 2 * cost::orthogonalizationFlop(n, n) +
                      2 * cost::orthogonalizationFlop(n, 1024) +
                      3 * cost::orthogonalizationFlop(n, 14336);
  const auto flopOf = [](const ir::Plan& plan) {
    return cost::allParameters(plan.layout, plan.costs.front()).orthogonalizationFlop;
  };
  const ir::Plan whole = llama("optimizer = muon", "tensor = 2", "2"),
                 parts = llama("optimizer = muon { tensor_mode = blockwise }", "tensor = 2", "2");
  EXPECT_NEAR(flopOf(whole), 32 * each, 1e-9 * each) << "tensor ranks do the same";
  EXPECT_LT(flopOf(parts), flopOf(whole) / 2 + 1);
  double gathered = 0;
  for (const ir::Collective& c : whole.collectives)
    if (c.purpose == ir::CollectivePurpose::MomentumGather)
      gathered += static_cast<double>(c.bytes) * static_cast<double>(c.count);
  EXPECT_NEAR(gathered, 4 * gemms, 64) << "momentum in fp32";
  for (const ir::Collective& c : parts.collectives)
    EXPECT_NE(c.purpose, ir::CollectivePurpose::MomentumGather);
  // Eight data ranks divide the matrices among them.
  const double one = valueOf(llama("recompute = full\n  kernels.loss = fused\n  optimizer = muon"),
                             "time.optimizer"),
               eight = valueOf(llama("optimizer = muon\n  shard.optimizer = data", "data = 8", "8"),
                               "time.optimizer");
  EXPECT_NEAR(one / eight, 8, 0.01);
}

TEST(Documents, PackedOnesAttendToThemselves) {
  const auto scores = [](const std::string& lines) {
    return valueOf(sharded(lines), "model.forward_flop") - 2 * gemms - 2 * 4096.0 * 128'256;
  };
  EXPECT_NEAR(scores("documents { mean_length = 512tok }"), scores("") / 4, 1);
  EXPECT_NEAR(scores("documents { mean_length = 512tok, packed = false }"), scores(""), 1);
  const ir::Plan padded = sharded("documents { mean_length = 512tok, packed = false }");
  EXPECT_EQ(valueOf(padded, "documents.padding"), 0.75);
  EXPECT_EQ(valueOf(padded, "documents.tokens_per_second"),
            valueOf(padded, "tokens_per_second") * 0.25);
}
