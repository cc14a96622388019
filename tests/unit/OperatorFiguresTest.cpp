//===- OperatorFiguresTest.cpp - Figures of operators, and where facts were declared ----------===//
#include "cost/memory/ActionTensors.h"
#include "driver/workspace/Workspace.h"
#include "figures/Figures.h"
#include <gtest/gtest.h>

using namespace dpl;

namespace {
/// GPT-2 small, 1024 tokens of 768 elements, on nodes of eight H100.
class Planned {
public:
  explicit Planned(const std::string& cluster, const std::string& layout = "",
                   const std::string& mesh = "data = 16") {
    workspace.overlay("main.dpl", "import std.models\nimport std.clusters\n"
                                  "model llm from models.gpt2_small\n"
                                  "cluster node from clusters.dgx_h100 {\n nodes = 2\n" +
                                      cluster + "\n}\nlayout plan for llm on node {\n" +
                                      "  batch = 64seq\n  mesh { " + mesh + " }\n" + layout +
                                      "\n}\n");
    DiagnosticEngine diags;
    unit = workspace.compile("main.dpl", diags);
    EXPECT_FALSE(unit->file.failed());
    plan = unit->file->plans.at(0);
    EXPECT_TRUE(Workspace::complete(plan, diags).succeeded());
    figures.emplace(
        plan,
        [this](const std::string& field) {
          return workspace.sources().describe(unit->placeOf(plan, field));
        },
        figures::Depth::Operators);
  }
  double value(const char* path) const {
    const std::optional<double> found = figures->value(path);
    EXPECT_TRUE(found) << path;
    return found.value_or(0);
  }
  std::string source(const char* path) const {
    const figures::Figure* figure = figures->find(path);
    return figure ? figure->source : "no figure";
  }
  Workspace workspace;
  std::unique_ptr<CompiledUnit> unit;
  ir::Plan plan;
  std::optional<figures::Figures> figures;
};
} // namespace

TEST(OperatorFigures, OfAProduct_AreThoseWorkedOutByHand) {
  const Planned p("node.gpu.sustained { matmul = 0.7, memory = 0.65, efficiency_half_size = 220 }");
  EXPECT_EQ(p.value("layer[plain].operator[qkv].m"), 1024);
  EXPECT_EQ(p.value("layer[plain].operator[qkv].n"), 3 * 768);
  EXPECT_EQ(p.value("layer[plain].operator[qkv].k"), 768);
  // 2 m n k; operands and result in two bytes each.
  EXPECT_EQ(p.value("layer[plain].operator[qkv].forward.flop"), 3'623'878'656.0);
  EXPECT_EQ(p.value("layer[plain].operator[qkv].forward.bytes"), 9'830'400);
  const double shape = 1024.0 / 1244 * 2304 / 2524 * 768 / 988;
  EXPECT_NEAR(p.value("layer[plain].operator[qkv].efficiency"), shape, 1e-12);
  EXPECT_NEAR(p.value("layer[plain].operator[qkv].rate"), 989.4e12 * 0.7 * shape, 1e3);
  EXPECT_NEAR(p.value("layer[plain].operator[qkv].forward"), 8.9588e-6, 1e-9);
  EXPECT_NEAR(p.value("layer[plain].operator[qkv].forward.memory"), 4.5145e-6, 1e-9);
  // Attention runs half of its scores, and 2.5 times its forward FLOP backward.
  const double scores = 1024.0 * 1024 * 12 * 2 * (64 + 64);
  EXPECT_EQ(p.value("layer[plain].operator[core attention].forward.flop"), scores / 2);
  EXPECT_EQ(p.value("layer[plain].operator[core attention].backward_input.flop"), scores * 1.25);
}

// A sum of gradients makes no tensor: who follows those has one operator less.
TEST(OperatorFigures, OfSumsOfGradients_AreNoTensors) {
  for (const auto& [layout, sums] :
       {std::pair("", 0U), std::pair("buffers.micro_batch_gradients = bf16", 1U)}) {
    const Planned p("", layout);
    const cost::ChunkEstimate estimate(p.plan);
    std::size_t parts = 0;
    const std::vector<cost::ModuleTensors> tensors =
        cost::TensorDivider(p.plan).of(p.plan.chunks[0]);
    for (const cost::ChunkModule& module : estimate.modules(p.plan.chunks[0]))
      if (module.computeKind == ir::ComputeKind::Layer ||
          module.computeKind == ir::ComputeKind::Head) {
        const std::vector<cost::OperatorCost> operators = estimate.operators(module);
        ASSERT_LT(parts, tensors.size());
        EXPECT_EQ(tensors[parts++].operators.size() + sums, operators.size())
            << estimate.nameOf(p.plan.chunks[0], module);
        EXPECT_EQ(operators.back().result == cost::OperatorCost::OperatorResult::GradientSum,
                  sums == 1);
      } else if (module.computeKind != ir::ComputeKind::None) {
        ++parts;
      }
    EXPECT_EQ(parts, 3U) << "layers, embedding, head";
  }
}

TEST(OperatorFigures, OfGradientsThatAreByThemselves_HaveTheirSum) {
  // The products of a layer have 12 h^2 elements: bf16 is read, the sum read and written.
  constexpr double weights = 12 * 768.0 * 768;
  const char* sum = "layer[plain].operator[gradient sum].backward_weight.bytes";
  const auto of = [&](const char* layout) { return Planned("", layout).value(sum) / weights; };
  EXPECT_EQ(of("buffers.micro_batch_gradients = bf16"), 2 + 4 + 4);
  EXPECT_EQ(of("buffers.micro_batch_gradients = fp32\n  precision.gradients = bf16"), 4 + 2 + 2);
  EXPECT_EQ(of("framework = nanotron"), 10);
  // torchtitan's stages sum whole before they scatter.
  const Planned stages("", "framework = torchtitan", "pipeline = 2, data = 8");
  EXPECT_EQ(stages.value(sum) / weights, 2 + 4 + 4);
  EXPECT_FALSE(Planned("").figures->value(sum)) << "products add them";
  EXPECT_FALSE(Planned("", "framework = torchtitan").figures->value(sum))
      << "those of a pass are scattered";
}

TEST(OperatorFigures, OfARecomputedLayer_SayWhatRunsAgain) {
  const Planned some("", "recompute = selective { modules = [core_attention] }");
  EXPECT_EQ(some.value("layer[plain].recompute.kernel_time"),
            some.value("layer[plain].operator[core attention].forward"));
  const Planned all("", "recompute = full { }");
  EXPECT_EQ(all.value("recomputed_layer[plain].recompute.kernel_time"),
            all.value("recomputed_layer[plain].forward.kernel_time"));
}

TEST(OperatorFigures, OfWhatIsKept_AreTheTensorsThatBackwardPassesRead) {
  // In two bytes 1024 tokens of 768 elements are one tensor.
  const double tensor = 1024.0 * 768 * 2;
  const Planned p("");
  EXPECT_EQ(p.value("layer[plain].operator[attention norm].saved_activations"), tensor);
  EXPECT_EQ(p.value("layer[plain].operator[qkv].saved_activations"), 3 * tensor);
  // Its output, and in fp32 a sum of each row of 12 heads.
  EXPECT_EQ(p.value("layer[plain].operator[core attention].saved_activations"),
            tensor + 1024 * 12 * 4);
  EXPECT_EQ(p.value("layer[plain].operator[mlp up].saved_activations"), 4 * tensor);
  EXPECT_EQ(p.value("layer[plain].operator[mlp activation].saved_activations"), 4 * tensor);
  EXPECT_EQ(p.value("layer[plain].residual_stream"), 2 * tensor);
  EXPECT_FALSE(p.figures->value("layer[plain].operator[projection].saved_activations"));
  // With a mask of a byte an element behind attention and behind the feed-forward part.
  EXPECT_EQ(p.value("layer[plain].saved_activations"), 17 * tensor + 1024 * 12 * 4);
}

TEST(OperatorFigures, OfWhatRecomputationBringsBack_AreNotKept) {
  const double tensor = 1024.0 * 768 * 2;
  // The projection behind attention reads its output all the same.
  const Planned some("", "recompute = selective { modules = [core_attention] }");
  EXPECT_EQ(some.value("layer[plain].operator[core attention].saved_activations"), tensor);
  const Planned all("", "recompute = full { }");
  EXPECT_FALSE(all.figures->value("recomputed_layer[plain].operator[qkv].saved_activations"));
  EXPECT_FALSE(all.figures->value("recomputed_layer[plain].saved_activations"));
  EXPECT_EQ(all.value("layer_input.saved_activations"), tensor);
}

TEST(OperatorFigures, WithGraphs_HaveNoHost) {
  const Planned launched("");
  EXPECT_EQ(launched.value("layer[plain].forward.launch_time"),
            launched.value("layer[plain].forward.launches") *
                launched.value("device.launch_overhead"));
  const Planned captured("", "cuda_graphs = true");
  EXPECT_FALSE(captured.figures->value("layer[plain].forward.launch_time"));
}

TEST(OperatorFigures, OnParts_GoAtTheSlowerDevice) {
  const Planned p("node_pool[\"slow\"] { nodes = 1, node.gpu.speed = 0.5 }");
  const Planned alike("");
  EXPECT_NEAR(p.value("layer[plain].operator[qkv].rate"),
              alike.value("layer[plain].operator[qkv].rate") / 2, 1e3);
  EXPECT_EQ(p.value("node_type[1].speed"), 0.5);
  EXPECT_EQ(p.source("node_type[1].speed"), "main.dpl:6:32");
  EXPECT_EQ(p.source("node_type[0].memory_bandwidth"), p.source("node_type[1].memory_bandwidth"));
}

TEST(DeclaredFacts, NameTheLineThatSetThem) {
  const Planned p("node.gpu.sustained.matmul = 0.5");
  EXPECT_EQ(p.source("device.sustained.matmul"), "main.dpl:6:1");
  EXPECT_EQ(p.source("cluster.devices"), "main.dpl:5:2");
  EXPECT_EQ(p.source("sequences_per_step"), "main.dpl:9:3");
  EXPECT_EQ(p.source("mesh.data"), "main.dpl:10:10");
  // What the library says, at its own line.
  EXPECT_EQ(p.source("device.peak").rfind("std.devices:", 0), 0U) << p.source("device.peak");
  EXPECT_EQ(p.source("bytes_per_element.gradients").rfind("std.prelude:", 0), 0U);
  EXPECT_EQ(p.source("device.sustained.low_precision").rfind("std.devices:", 0), 0U);
}

TEST(DeclaredFacts, OfOneOfSeveralLayouts_AreItsOwn) {
  Workspace workspace;
  workspace.overlay("two.dpl", "import std.models\nimport std.clusters\n"
                               "model llm from models.gpt2_small\n"
                               "cluster a from clusters.dgx_h100 { nodes = 1 }\n"
                               "cluster b from clusters.dgx_h100 { nodes = 2 }\n"
                               "layout x for llm on a { batch = 64seq, mesh { data = 8 } }\n"
                               "layout y for llm on b { batch = 64seq, mesh { data = 16 } }\n");
  DiagnosticEngine diags;
  const std::unique_ptr<CompiledUnit> unit = workspace.compile("two.dpl", diags);
  const auto place = [&](std::size_t i, const char* field) {
    return workspace.sources().describe(unit->placeOf(unit->file->plans.at(i), field));
  };
  EXPECT_EQ(place(0, "cluster.nodes"), "two.dpl:4:36");
  EXPECT_EQ(place(1, "cluster.nodes"), "two.dpl:5:36");
  EXPECT_EQ(place(1, "layout.batch"), "two.dpl:7:25");
  EXPECT_EQ(place(1, "layout.nothing"), "");
}
