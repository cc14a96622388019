//===- MemoryTest.cpp - What a device holds, by hand and as it was measured -------------------===//
#include "cost/step/Timeline.h"
#include "driver/workspace/Workspace.h"
#include "figures/Figures.h"
#include "tests/unit/CompiledPlan.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace dpl;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
constexpr double GiB = 1ULL << 30;

/// 1.34e9 parameters, as the smallest model of the sweep of nanotron.
ir::Plan planOf(const std::string& mesh, const std::string& fields,
                const std::string& context = "4096tok") {
  return test::completedPlan("plan.dpl",
                             "import std.models\nimport std.clusters\n"
                             "model llm from models.decoder {\n"
                             "  layers = 16, hidden = 2048, heads = 32, kv_heads = 32\n"
                             "  ffn = gated { width = 8192 }, tied_embeddings = true\n"
                             "  vocab = 131_072, context = " +
                                 context +
                                 "\n}\ncluster pod from clusters.dgx_h100 { nodes = 1 }\n"
                                 "layout plan for llm on pod {\n  devices = 8\n"
                                 "  batch = 64seq\n  mesh { " +
                                 mesh + " }\n  " + fields + "\n}\n");
}
constexpr double parameters =
    16 * (4.0 * 2048 * 2048 + 3.0 * 2048 * 8192 + 2 * 2048) + 131'072.0 * 2048 + 2048;

double figure(const ir::Plan& plan, const char* path) {
  return figures::Figures(plan).value(path).value_or(std::nan(""));
}
/// What nanotron prints between two steps.
double betweenSteps(const ir::Plan& plan) {
  const ir::RankMemory& m = plan.memory.front();
  return static_cast<double>(m.parameters + m.gradients + m.optimizer + m.buffers + m.update);
}
double peak(const ir::Plan& plan) { return static_cast<double>(plan.memory.front().peak()); }

/// Tokens and elements of a pass of one sequence.
constexpr double tokens = 4096, stream = tokens * 2048;
} // namespace

TEST(Memory, OfNanotron_IsWhatItPrints) {
  // 2 weights, 4 and 2 gradients, 12 optimizer; 25.07 GiB were measured.
  const double copied = betweenSteps(planOf("data = 8", "framework = nanotron"));
  EXPECT_EQ(copied, 20 * parameters + 64 * 1024 * 1024);
  EXPECT_NEAR(copied / GiB, 25.07, 0.05);
  // The same with the optimizer sharded over 8: flat copies of what is given and gathered.
  const double sharded =
      betweenSteps(planOf("data = 8", "framework = nanotron\n  shard.optimizer = data"));
  EXPECT_NEAR(sharded, (10 + 14.0 / 8) * parameters + 64 * 1024 * 1024, 4);
  // Of tensor ranks each has two gathered tensors; without data ranks no buckets. 2.92 GiB were
  // measured on 8.
  const double split =
      betweenSteps(planOf("tensor = 8", "framework = nanotron\n  shard.sequence = tensor"));
  const double gains = 33 * 2048;
  EXPECT_EQ(split, 18 * ((parameters - gains) / 8 + gains) + 64 * 1024 * 1024 + 2 * 2 * stream);
  EXPECT_NEAR(split / GiB, 2.92, 0.02);
}

TEST(Memory, OfRecomputation_HasNoGroupLargerThanAChunk) {
  const auto with = [](const std::string& layers) {
    return peak(planOf("data = 8", "recompute = full { layers = " + layers + " }"));
  };
  EXPECT_EQ(with("16"), with("17"));
  EXPECT_EQ(with("16"), with("1_000_000"));
  EXPECT_LT(with("8"), with("16"));
}

TEST(Memory, OfALoss_IsKeptAndBesideIt) {
  // With one pass at a time everything else is the same.
  const double logits = tokens * 131'072;
  const auto with = [](const std::string& loss) {
    return peak(planOf("data = 8", "kernels.loss = " + loss));
  };
  // Beside a fused one the gradient of the widest tensor of a layer counts.
  const double none = with("fused") - 2 * logits - 2 * 2 * 8192 * tokens;
  EXPECT_EQ(with("in_place") - none, 6 * logits);
  EXPECT_EQ(with("copied") - none, 8 * logits);
  EXPECT_EQ(with("eager") - none, 14 * logits);
  EXPECT_EQ(with("compiled") - none, 4 * logits);
  // A chunked loss saves no logits, but the gradient of the head's input.
  EXPECT_EQ(with("fused") - with("chunked"), 2 * logits - 2 * stream);
  // Over a divided vocabulary the gradient of eager steps is made in tensors of their own.
  const auto divided = [](const std::string& loss) {
    return peak(planOf("data = 4, tensor = 2", "kernels.loss = " + loss));
  };
  EXPECT_EQ(divided("eager") - divided("copied"), 8 * logits / 2);
}

TEST(Memory, OfAlternateProducts_KeepsTheFirstTheThirdAndSoOn) {
  const ir::Plan plan = planOf(
      "data = 8", "recompute = selective { modules = [norm, activation, every_other_matmul] }");
  // Its input, q, v, the output of attention, the first of two products up; a sum a row and head.
  EXPECT_EQ(figure(plan, "layer[gated].saved_activations"),
            2 * 4 * stream + 2 * 8192 * tokens + 4 * 32 * tokens);
  // k, the projection and the other product up run again: 1 + 1 + 4 of 1 · 4 + 4 · 3.
  const double products = 2 * tokens * 2048 * 2048 * (4 + 4 * 3);
  EXPECT_NEAR(plan.costs.front().recomputeFlop / 16 / products, 6.0 / 16, 1e-12);
}

TEST(Memory, OfGradientsSummedWhole_LastsFromAChunksFirstBackwardToItsLast) {
  const std::string shard = "shard { parameters = data, gradients = data, optimizer = data }\n  ";
  const auto of = [&](const std::string& fields, const std::string& context = "4096tok") {
    return planOf("pipeline = 2, data = 4", shard + fields, context);
  };
  const ir::Plan each = of(""), whole = of("buffers.unsharded_gradients = fp32");
  const double stage = figure(whole, "memory.rank[0].parameter_count");
  EXPECT_EQ(figure(whole, "memory.rank[0].unsharded_gradients"), 4 * stage);
  // With one forward and one backward in turn they are there while both micro-batches are.
  EXPECT_EQ(peak(whole) - peak(each), 4 * stage);
  // Once a step instead of with each of 16 micro-batches.
  const auto calls = [](const ir::Plan& plan) {
    return figure(plan, "communication[data].gradients.reduce_scatter.count");
  };
  EXPECT_EQ(calls(each), 16 * calls(whole));
  // Of two chunks one's have left before the other's come.
  const ir::Plan two = of("schedule = interleaved_1f1b { chunks = 2 }\n  micro_batch = 8seq\n  "
                          "buffers.unsharded_gradients = fp32",
                          "64tok");
  EXPECT_LT(figure(two, "memory.rank[0].unsharded_gradients"), 3 * stage);
  // One micro-batch has nothing to add up.
  const std::string one = "micro_batch = 16seq\n  ";
  EXPECT_EQ(peak(of(one + "buffers.unsharded_gradients = fp32", "64tok")), peak(of(one, "64tok")));
}

TEST(Memory, OfEndsThatStayGathered_IsTheirTablesTwiceAndTheGradientOfTheHead) {
  const std::string shard = "shard { parameters = data, gradients = data, optimizer = data }\n  ";
  const auto gathered = [&](const std::string& fields, const char* context = "4096tok") {
    return figure(planOf("data = 8", shard + fields, context), "memory.rank[0].unsharded_units");
  };
  const double layer = 4.0 * 2048 * 2048 + 3.0 * 2048 * 8192 + 2 * 2048;
  const double table = 131'072.0 * 2048, head = table + 2048;
  // Of the head its parameters, its gradient and that as it is scattered, and parameters of a
  // layer.
  EXPECT_EQ(gathered(""), head * (2 + 2 + 4) + layer * 2);
  EXPECT_EQ(gathered("overlap.parameters = false"), head * (2 + 2 + 4));
  // Two layers, a gradient and one that is scattered; tables, what their gather and a layer's wrote
  // to, and a gradient of the head.
  const std::string ends = "buffers.keep_root_unsharded = true\n  ";
  EXPECT_EQ(gathered(ends), layer * (2 + 2 + 2 + 4) + head * 2 + (head + layer) * 2 + head * 2);
  EXPECT_EQ(gathered(ends + "overlap { parameters = false, gradients = false }"),
            layer * (2 + 2 + 4) + head * 2 + (head + layer) * 2 + head * 2);
  // Of short sequences the end of the pass holds more: the table's gradient in both types.
  const ir::Plan brief = planOf("data = 8", shard + ends, "64tok");
  const double gone = figure(brief, "stage[0].saved_activations") * 15 / 16;
  EXPECT_NEAR(static_cast<double>(brief.memory.front().temporary),
              head * 2 + (head + layer) * 2 + head * (2 + 4) + 2 * 2 * 8192 * 64.0 - gone,
              figure(brief, "layer[gated].saved_activations"));
}

TEST(Memory, OfALoss_IsBesideTheHeadAndNotBesideLayers) {
  const auto of = [](const char* context) {
    return planOf("data = 8",
                  "shard { parameters = data, gradients = data, optimizer = data }\n  "
                  "buffers.keep_root_unsharded = true\n  kernels.loss = eager",
                  context);
  };
  const ir::Plan plan = of("4096tok");
  const double layer = 4.0 * 2048 * 2048 + 3.0 * 2048 * 8192 + 2 * 2048;
  // 10 bytes of each logit beside the head's gradient and the next layer; less than two layers'
  // units.
  EXPECT_NEAR(figure(plan, "memory.rank[0].action_temporary"),
              10 * tokens * 131'072 - layer * (2 + 2 + 4), 1);
}

TEST(Memory, OfALayerWithExperts_IsGatheredWithThem) {
  const ir::Plan plan = test::completedPlan(
      "plan.dpl", "import std.models\nimport std.clusters\n"
                  "model llm from models.decoder {\n"
                  "  layers = 8, hidden = 2048, heads = 16, kv_heads = 16\n"
                  "  ffn = gated { width = 8192 }, vocab = 32_768, context = 4096tok\n"
                  "  layer[7] { ffn = experts { count = 64, top_k = 4, width = 8192 } }\n"
                  "}\ncluster pod from clusters.dgx_h100 { nodes = 4 }\n"
                  "layout plan for llm on pod {\n  batch = 256seq\n  recompute = full\n"
                  "  mesh { data = rest, experts { expert = 8 } }\n"
                  "  shard { parameters = data, gradients = data, optimizer = data }\n}\n");
  const double attention = 4.0 * 2048 * 2048 + 2 * 2048, expert = 3.0 * 2048 * 8192;
  const double mixed = attention + 2048 * 64 + 8 * expert, dense = attention + expert;
  EXPECT_EQ(figure(plan, "memory.rank[0].unsharded_units"), mixed * (2 + 2 + 4) + dense * 2);
}

TEST(Memory, OfWeightsIn8Bits_IsTheirTwoOrdersWhereTheDeviceNeedsThem) {
  const auto bytesOfOne = [](const std::string& type, const std::string& cluster) {
    const ir::Plan plan = test::completedPlan(
        "plan.dpl", "import std.models\nimport std.clusters\ncluster pod from clusters." + cluster +
                        " { nodes = 1 }\nlayout plan for models.llama3_8b on pod {\n"
                        "  mesh { tensor = 8 }\n  shard.sequence = tensor\n  batch = 8seq\n"
                        "  precision { compute = " +
                        type + ", parameters = " + type + " }\n}\n");
    return figure(plan, "memory.rank[0].parameters") /
           figure(plan, "memory.rank[0].parameter_count");
  };
  EXPECT_EQ(bytesOfOne("bf16", "dgx_h100"), 2);
  EXPECT_EQ(bytesOfOne("fp8", "dgx_h100"), 2); // the transpose is kept
  EXPECT_EQ(bytesOfOne("fp8", "dgx_b200"), 1);
  EXPECT_EQ(bytesOfOne("mxfp8", "dgx_b200"), 2); // scaled along either dimension
}

TEST(Memory, OfKernels_IsWhatTheirBackwardPassReads) {
  const auto kept = [](const std::string& fields, const char* mesh = "data = 8") {
    return figure(planOf(mesh, fields), "layer[gated].saved_activations");
  };
  // Two norms, an activation of 8192, the output of attention; two bytes an element unless said.
  EXPECT_EQ(kept("kernels.norm = unfused") - kept(""), 2 * 6 * stream);
  EXPECT_EQ(kept("kernels.activation = unfused") - kept(""), 2 * 8192 * tokens);
  // Query and keys beside the projection's output, of which the values are a part.
  EXPECT_EQ(kept("kernels.rotary = unfused") - kept(""), 2 * 2 * stream);
  // nanotron's code keeps 52 bytes a token and element of the stream, and a row of sums a head.
  EXPECT_EQ(kept("framework = nanotron"), 52 * stream + 4 * 32 * tokens);
}

TEST(Memory, OfGatheredInputs_TakesTheirGatherFromTheBackwardPass) {
  const std::string split = "shard.sequence = tensor\n  ";
  const ir::Plan again = planOf("data = 2, tensor = 4", split),
                 keeps =
                     planOf("data = 2, tensor = 4", split + "buffers.save_gathered_inputs = true");
  EXPECT_EQ(figure(keeps, "layer[gated].saved_activations") -
                figure(again, "layer[gated].saved_activations"),
            2 * 2 * stream * 3 / 4);
  const auto gathers = [](const ir::Plan& plan) {
    return figure(plan, "communication[tensor].activations.all_gather.count");
  };
  EXPECT_EQ(gathers(again) - gathers(keeps), 2.0 * 16 * 32) << "two of a layer and micro-batch";
}

TEST(Memory, OfGradientsOfAPass_CountsAtItsEnd) {
  // One short sequence of a deep model: its activations are less than its gradients.
  const auto of = [](const char* fields) { return planOf("data = 8", fields, "64tok"); };
  const ir::Plan plan = of("buffers.micro_batch_gradients = bf16");
  const double layer = figure(plan, "layer[gated].saved_activations"),
               all = figure(plan, "stage[0].saved_activations");
  const ir::RankMemory& m = plan.memory.front();
  // Of what was kept one layer is left, and beside it the gradient of its widest tensor.
  const double end = 2 * parameters + all / 16 + 2 * 2 * 8192 * 64.0;
  EXPECT_NEAR(static_cast<double>(m.activations + m.temporary), end, layer);
  EXPECT_GT(peak(plan), peak(of("")) + parameters);
}

TEST(Memory, HasTwoPeaks_AndTheLargerCounts) {
  const ir::Plan plan = planOf(
      "data = 8",
      "shard.optimizer = data\n  buffers.flat_parameter_gather = true\n  kernels.loss = fused",
      "64tok");
  const ir::RankMemory& m = plan.memory.front();
  EXPECT_NEAR(static_cast<double>(m.update), 2 * parameters * (2 + 1.0 / 8), 1);
  ASSERT_GT(m.update, m.activations + m.temporary);
  EXPECT_EQ(m.peak(), m.parameters + m.gradients + m.optimizer + m.buffers + m.reserved + m.update);
  EXPECT_EQ(figure(plan, "memory.peak"), peak(plan));
  EXPECT_EQ(cost::memoryOverStep(plan, 0).back().bytes, m.peak()) << "behind the passes";
  const auto update = [](const char* shard) {
    return static_cast<double>(
        planOf("data = 8", std::string("buffers.flat_parameter_gather = true\n  ") + shard, "64tok")
            .memory.front()
            .update);
  };
  // With gradients in parts the same parameters are gathered; parts of them are not.
  EXPECT_EQ(update("shard { gradients = data, optimizer = data }"), static_cast<double>(m.update));
  EXPECT_EQ(update("shard { parameters = data, gradients = data, optimizer = data }"), 0);
}

TEST(Memory, OfTorchtitan_Is16BytesAParameter) {
  const ir::RankMemory m = planOf("data = 8", "framework = torchtitan").memory.front();
  EXPECT_NEAR(static_cast<double>(m.parameters + m.gradients + m.optimizer), 16 * parameters / 8,
              8);
}

TEST(Memory, OfAnUpdateFromCopiedGradients_LosesThoseOfOthers) {
  const std::string fields = "shard.optimizer = data\n  precision.gradients = bf16\n"
                             "  buffers.optimizer_gradients = fp32\n  kernels.loss = fused";
  const auto update = [&](const char* mesh, const std::string& more = "") {
    const ir::Plan plan = planOf(mesh, fields + more, "64tok");
    const double bytes = static_cast<double>(plan.memory.front().update);
    EXPECT_EQ(figure(plan, "memory.rank[0].optimizer_step"), bytes);
    return bytes;
  };
  // Two and four bytes of a half, less two of the other.
  EXPECT_NEAR(update("replica = 4, data = 2"), (6.0 / 2 - 2.0 / 2) * parameters, 4);
  EXPECT_EQ(update("data = 8"), 0) << "less than what is gone";
  EXPECT_NEAR(update("data = 8", "\n  shard.gradients = data"), 6.0 / 8 * parameters, 4);
}

TEST(Memory, OfMessagesThatAreKept_IsABufferOfEachMicroBatch) {
  const auto of = [](const char* fields) {
    return planOf("pipeline = 4, data = 2", std::string("kernels.loss = fused\n  ") + fields);
  };
  const ir::Plan none = of(""), kept = of("buffers.receive_buffer_per_micro_batch = true");
  const auto more = [&](std::size_t rank, std::uint64_t ir::RankMemory::*part) {
    return static_cast<double>(kept.memory[rank].*part - none.memory[rank].*part);
  };
  const double message = 2 * stream;
  EXPECT_EQ(more(0, &ir::RankMemory::buffers), 32 * message) << "gradients of 32 micro-batches";
  EXPECT_EQ(more(1, &ir::RankMemory::buffers), 2 * 32 * message);
  EXPECT_EQ(more(3, &ir::RankMemory::buffers), 32 * message);
  // What the first stage has sent stays; of another its input lies in a buffer.
  EXPECT_EQ(more(0, &ir::RankMemory::activations), 4 * message);
  EXPECT_EQ(more(1, &ir::RankMemory::activations), 0);
  EXPECT_EQ(figure(kept, "memory.rank[1].receive_buffers"), 2 * 32 * message);
  EXPECT_EQ(figure(kept, "memory.rank[1].buffers"), static_cast<double>(kept.memory[1].buffers));
}

TEST(Memory, OfATiedTable_IsOneWhereTheEndsMeet) {
  const auto of = [](const char* schedule) {
    return planOf("pipeline = 2, data = 4", schedule).memory;
  };
  const double table = 2 * 131'072.0 * 2048, layers = 2 * (parameters - 2048) - table;
  const auto held = [](const ir::RankMemory& m) { return static_cast<double>(m.parameters); };
  const std::vector<ir::RankMemory> apart = of("schedule = 1f1b"), meet = of("schedule = zb_v");
  EXPECT_EQ(held(apart[0]) + held(apart[1]), layers + 2 * table + 2 * 2048);
  EXPECT_EQ(held(meet[0]) + held(meet[1]), layers + table + 2 * 2048);
}

/// By the algorithm of nanotron's build_model: 16 layers of 67.1e6 and a head of 268.4e6.
TEST(Memory, LayersByParameters_PassTheirShareOneByOne) {
  const auto layers = [](const char* mesh) {
    std::vector<std::uint64_t> counts;
    for (const ir::Chunk& chunk : planOf(mesh, "split = by_parameters").chunks)
      counts.push_back(chunk.layers);
    return counts;
  };
  // Shares of 10 layers' cost: ten are not more than ten.
  EXPECT_THAT(layers("pipeline = 2, data = 4"), ElementsAre(11, 5));
  EXPECT_THAT(layers("pipeline = 4, data = 2"), ElementsAre(6, 5, 5, 0));
  EXPECT_THAT(layers("pipeline = 8"), ElementsAre(3, 3, 2, 3, 2, 3, 0, 0));
}

/// What DPL0401 says of a change is what the plan with it comes to.
TEST(Memory, ThatDoesNotFit_IsAnsweredWithChangesAndTheirTime) {
  const auto text = [](const std::string& memory, const std::string& fields) {
    return "import std.models\nimport std.clusters\n"
           "cluster pod from clusters.dgx_h100 { nodes = 1\n  node.gpu.memory = " +
           memory +
           " }\nlayout plan for models.llama3_8b on pod {\n  batch = 32seq\n"
           "  mesh { data = 2, tensor = 4 }\n  micro_batch = 2seq\n  " +
           fields + "\n}\n";
  };
  const auto helpOf = [&](const std::string& memory) -> std::string {
    DiagnosticEngine diags;
    Workspace workspace;
    workspace.overlay("plan.dpl", text(memory, ""));
    const std::unique_ptr<CompiledUnit> unit = workspace.compile("plan.dpl", diags);
    if (unit->file.failed() || Workspace::complete(unit->file->plans.front(), diags).succeeded())
      return "";
    return renderText(diags, workspace.sources(), false);
  };
  const auto of = [&](const char* fields) {
    const ir::Plan plan = test::completedPlan("plan.dpl", text("1TiB", fields));
    return std::pair(figure(plan, "memory.peak") / GiB, figure(plan, "step_time"));
  };
  const auto [peakNow, stepNow] = of("");
  const auto said = [&, step = stepNow](const char* fields) {
    const auto [peak, time] = of(fields);
    const double more = 100 * (time / step - 1);
    return fmt::format("`{}` takes it to {:.1f} GiB, which fits, in {:.0f} % {} time", fields, peak,
                       std::abs(more), more > 0 ? "more" : "less");
  };
  // One of these is enough.
  const std::string one = helpOf(fmt::format("{}MiB", static_cast<int>(1024 * peakNow) - 10));
  EXPECT_THAT(one, HasSubstr(said("shard.sequence = tensor")));
  // What no change does alone two do.
  const double alone =
      std::min({of("recompute = full").first,
                of("shard { parameters = data, gradients = data, optimizer = data }").first,
                of("shard.optimizer = data").first, of("shard.sequence = tensor").first});
  const std::string two = helpOf(fmt::format("{}MiB", static_cast<int>(1024 * alone) - 10));
  EXPECT_THAT(two, HasSubstr("` and `"));
  EXPECT_THAT(two, HasSubstr(" take it to "));
}

TEST(Memory, OfTwoChunksWithTheEnds_HasTheUnitsOfTheOneThatRuns) {
  const auto working = [](const char* shard) {
    const ir::Plan plan =
        planOf("pipeline = 2, data = 4", std::string("schedule = v_half\n  ") + shard);
    return figure(plan, "memory.rank[0].action_temporary");
  };
  const double whole = working("shard.optimizer = data"),
               units = working("shard { optimizer = data, gradients = data }");
  EXPECT_LE(units, whole)
      << "the gradient of the embedding is a unit as the head's is, not beside it";
}
