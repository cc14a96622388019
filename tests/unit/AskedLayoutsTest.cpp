//===- AskedLayoutsTest.cpp - What `mesh = auto` finds is run by its framework and its nodes --===//
#include "backends/Target.h"
#include "driver/Workspace.h"
#include "figures/HostMemory.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
/// The plan of 16 GPUs with these lines, as `dplc` completes it: where `asks` is set, its framework
/// is asked about each layout.
ir::Plan found(const std::string& fields, bool asks = true, const char* memory = "2TB") {
  const std::string text =
      fmt::format("import std.models\nimport std.clusters\n"
                  "cluster pod from clusters.dgx_h100 {{ nodes = 2, node.memory = {} }}\n"
                  "layout plan for models.llama3_8b on pod {{\n  batch = 64seq\n  {}\n}}\n",
                  memory, fields);
  DiagnosticEngine diags;
  Workspace workspace;
  workspace.overlay("plan.dpl", text);
  const std::unique_ptr<CompiledUnit> unit = workspace.compile("plan.dpl", diags);
  if (unit->file.failed() || unit->file->plans.size() != 1) {
    ADD_FAILURE() << renderText(diags, workspace.sources(), false);
    return {};
  }
  ir::Plan plan = std::move(unit->file->plans.front());
  PipelineOptions options;
  if (asks)
    options.takes = takesOf(plan);
  EXPECT_TRUE(Workspace::complete(plan, diags, options).succeeded()) << diags.firstError();
  return plan;
}
} // namespace

TEST(AskedLayouts, AreTakenByTheirFramework) {
  std::size_t refused = 0;
  for (const char* framework : {"megatron", "torchtitan", "deepspeed", "pytorch", "accelerate"}) {
    const std::string fields = fmt::format("mesh = auto\n  framework = {}", framework);
    EXPECT_EQ(whyRefused(found(fields)), "") << framework;
    refused += whyRefused(found(fields, false)).empty() ? 0 : 1;
  }
  EXPECT_GE(refused, 1U); // else nothing is tried here
}

TEST(AskedLayouts, FitTheMemoryOfTheNodes) {
  // 16 layers of 8 devices are 240 GiB with 2 TB a node and in the fastest layout.
  const std::string fields = "mesh = auto\n  offload.activations = 16";
  const auto neededOf = [](const ir::Plan& plan) { return figures::fullestNode(plan)->needed; };
  const std::uint64_t most = 200'000'000'000;
  EXPECT_GT(neededOf(found(fields)), most);
  EXPECT_LE(neededOf(found(fields, true, "200GB")), most);
}
