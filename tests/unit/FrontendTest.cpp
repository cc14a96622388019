//===- FrontendTest.cpp - Files to plans: late binding, levels, settings ----------------------===//
#include "driver/workspace/Workspace.h"
#include <gtest/gtest.h>
#include <map>
using namespace dpl;

namespace {
/// One compilation of files from memory; the first is the main one.
class Compiled {
public:
  explicit Compiled(const std::string& text, const std::map<std::string, std::string>& others = {},
                    std::vector<Override> overrides = {})
      : workspace([](const std::string&) { return FileProblem::Missing; }) {
    workspace.overlay("main.dpl", text);
    for (const auto& [path, other] : others)
      workspace.overlay(path, other);
    compilation = workspace.compile("main.dpl", diags, std::move(overrides), true);
    if (!compilation->file.failed())
      file = std::move(*compilation->file);
    for (const Diagnostic& d : diags.diagnostics())
      codes += std::string(codes.empty() ? "" : " ") + d.info.code;
  }
  Workspace workspace;
  DiagnosticEngine diags;
  std::unique_ptr<CompiledUnit> compilation;
  CompiledFile file;
  std::string codes; ///< of the messages, with a blank between
};

const std::string small = R"(
import std.models
import std.clusters
model llm from models.gpt2_small
cluster node from clusters.dgx_h100 { nodes = 1 }
)";
} // namespace

TEST(Frontend, AChangedChoice_DropsTheFieldsOfTheOldOne) {
  const Compiled c(small + R"(
layout first for llm on node {
  batch = 64seq
  mesh { pipeline = 2, data = 4 }
  schedule = interleaved_1f1b { chunks = 2 }
  recompute = full { layers = 3 }
}
layout second from first {
  schedule = gpipe
  recompute { method = block }
}
assert second.recompute.layers == 3 and first.recompute.method == uniform
)");
  ASSERT_EQ(c.codes, "");
  ASSERT_EQ(c.file.plans.size(), 2U);
  EXPECT_EQ(c.file.plans[0].layout.chunks, 2U);
  EXPECT_EQ(c.file.plans[1].layout.schedule, ir::ScheduleKind::GPipe);
  EXPECT_EQ(c.file.plans[1].layout.chunks, 1U);
  EXPECT_EQ(c.file.plans[1].layout.recompute.method, ir::RecomputeMethod::Block);
  EXPECT_EQ(c.file.plans[1].layout.recompute.layers, 3U);
}

TEST(Frontend, AListOfLayers_IsShortForTheChoiceThatHoldsOne) {
  const Compiled c(small + "layout l for llm on node { batch = 64seq, mesh { pipeline = 4, data = "
                           "2 }, split = [4, 3, 3, 2] }");
  ASSERT_EQ(c.codes, "");
  EXPECT_EQ(c.file.plans.at(0).layout.split, ir::SplitKind::Listed);
  EXPECT_EQ(c.file.plans[0].layout.splitLayers, (std::vector<std::uint64_t>{4, 3, 3, 2}));
}

TEST(Frontend, AxesOfAMesh_KeepTheOrderWritten) {
  const Compiled c(small + R"(
layout a for llm on node { batch = 64seq, mesh { tensor = 2 within node, data = 4 } }
layout b from a { mesh.data = 2, mesh.tensor = 4 }
)");
  ASSERT_EQ(c.codes, "");
  for (const ir::Plan& plan : c.file.plans) {
    ASSERT_EQ(plan.layout.mesh.axes.size(), 2U);
    EXPECT_EQ(plan.layout.mesh.axes[0].axis, ir::Axis::Tensor);
  }
  EXPECT_TRUE(c.file.plans[0].layout.mesh.axes[0].hasWithin);
  EXPECT_EQ(c.file.plans[1].layout.mesh.axes[0].size, 4U);
}

TEST(Frontend, Settings_ReachParamsBlocksKindsAndImportedFiles) {
  const Compiled c(
      R"(
import std.clusters
import "./shared.dpl" as shared
param nodes: Count in [1, 2] = 1
model llm from shared.tiny { heads = shared.heads }
cluster pod from clusters.dgx_h100 { nodes = param.nodes }
layout one for llm on pod {
  batch = 64seq
  mesh { data = pod.gpus }
  schedule = gpipe
  assert pod.gpus == 8 and llm.heads == 2 and schedule == 1f1b
}
)",
      {{"shared.dpl",
        "param heads: Count = 4\n"
        "decoder tiny { layers = 2, hidden = 64, heads = 4, vocab = 128, context = 64tok }\n"}},
      {{"nodes", "2", "--set"},
       {"cluster.node.gpus", "4", "--set"},
       {"shared.heads", "2", "--set"},
       {"one.schedule", "1f1b", "--set"}});
  EXPECT_EQ(c.codes, "");
  EXPECT_EQ(c.file.plans.size(), 1U);
}

TEST(Frontend, AnUnknownSetting_IsReported) {
  EXPECT_EQ(Compiled(small, {}, {{"nodez", "2", "--set"}}).codes, "DPL0162");
  EXPECT_EQ(Compiled(small, {}, {{"node.nodez", "2", "--set"}}).codes, "DPL0201");
}

TEST(Frontend, TheHistoryOfAField_NamesEveryLevel) {
  const Compiled c(small + R"(
cluster quick { network.latency = 1us }
cluster pod from node with quick { network.latency = 3us, nodes = 2 }
)",
                   {}, {{"pod.nodes", "4", "--set"}});
  ASSERT_EQ(c.codes, "");
  const std::vector<FieldLevel> latency = c.compilation->history("pod.network.latency");
  ASSERT_GE(latency.size(), 2U);
  EXPECT_EQ(latency[latency.size() - 2].level, "with quick");
  EXPECT_EQ(latency.back().level, "block");
  EXPECT_EQ(latency.back().value, "3us");
  const std::vector<FieldLevel> nodes = c.compilation->history("pod.nodes");
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].level, "from std.clusters.dgx_h100");
  EXPECT_EQ(nodes[1].level, "from node");
  EXPECT_EQ(nodes[3].level, "--set");
}

TEST(Frontend, RunsOfLayers_AreNotOneALayer) {
  const Compiled c(R"(
import std.clusters
decoder deep {
  layers = 100_000, hidden = 256, heads = 8, vocab = 1024, context = 128tok
  layer[0..<3] { ffn = gated { width = 64 } }
}
cluster node from clusters.dgx_h100 { nodes = 1 }
layout l for deep on node { batch = 64seq, mesh { data = 8 } }
)");
  ASSERT_EQ(c.codes, "");
  const ir::Model& model = c.file.plans.at(0).model;
  ASSERT_EQ(model.runs.size(), 2U);
  EXPECT_EQ(model.runs[0].count, 3U);
  EXPECT_EQ(model.runs[1].count, 99'997U);
}

TEST(Frontend, AssertsOnResults_WaitForThePasses) {
  const Compiled c(small + R"(
layout l for llm on node {
  batch = 64seq
  mesh { pipeline = 2, data = rest }
  assert mesh.data >= 2 and memory.peak <= 92pct * node.node.gpu.memory, "room"
  assert step_time in 0.1s..10s
  assert mesh.pipeline == 2
}
)");
  ASSERT_EQ(c.codes, "");
  const std::vector<ir::Assertion>& asserts = c.file.plans.at(0).assertions;
  ASSERT_EQ(asserts.size(), 2U);
  EXPECT_EQ(asserts[0].reason, "room");
  EXPECT_EQ(asserts[0].nodes.front().path, "mesh.data");
  EXPECT_EQ(asserts[1].nodes.back().operation, ir::Operation::In);
  EXPECT_EQ(asserts[1].nodes.back().operands.size(), 3U);
}

TEST(Frontend, TheSameText_GivesTheSameHash) {
  const std::string text = small + "layout l for llm on node { batch = 64seq, mesh { data = 8 } }";
  EXPECT_EQ(Compiled(text).file.plans.at(0).hash, Compiled(text).file.plans.at(0).hash);
}
