//===- AskedLayoutsTest.cpp - What `mesh = auto` finds is run by its framework and its nodes --===//
#include "backends/ChangedPlans.h"
#include "backends/Target.h"
#include "cost/step/HostMemory.h"
#include "driver/workspace/Workspace.h"
#include "figures/Figures.h"
#include "planner/Estimator.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
/// A file with one layout, whose mesh is open.
struct File {
  const char* model = "llama3_8b";
  unsigned nodes = 2, batch = 64;
  const char* ofModel = "";
  const char* ofCluster = "node.memory = 2TB";

  std::string with(const std::string& fields) const {
    return fmt::format("import std.models\nimport std.clusters\nmodel llm from models.{} {{ {} }}\n"
                       "cluster pod from clusters.dgx_h100 {{ nodes = {}, {} }}\n"
                       "layout plan for llm on pod {{\n  batch = {}seq\n  mesh = auto\n  {}\n}}\n",
                       model, ofModel, nodes, ofCluster, batch, fields);
  }
};

/// The plan of the file with these fields, as `dplc` completes it: where `asks` is set, its
/// framework is asked about each layout. Nothing if it has an error.
std::optional<ir::Plan> completed(const File& file, const std::string& fields,
                                  DiagnosticEngine& diags, bool asks = true) {
  const std::string text = file.with(fields);
  Workspace workspace;
  workspace.overlay("plan.dpl", text);
  const std::unique_ptr<CompiledUnit> unit = workspace.compile("plan.dpl", diags);
  if (unit->file.failed() || unit->file->plans.size() != 1) {
    ADD_FAILURE() << renderText(diags, workspace.sources(), false);
    return std::nullopt;
  }
  ir::Plan plan = std::move(unit->file->plans.front());
  if (Workspace::complete(plan, diags, withoutAdvice(), runsOf(plan),
                          asks ? refusalsOf(plan) : planner::PlanRefusals())
          .failed())
    return std::nullopt;
  return plan;
}

ir::Plan found(const File& file, const std::string& fields, bool asks = true) {
  DiagnosticEngine diags;
  std::optional<ir::Plan> plan = completed(file, fields, diags, asks);
  EXPECT_TRUE(plan) << fields << diags.firstError();
  return plan ? std::move(*plan) : ir::Plan();
}

double stepOf(const ir::Plan& plan) {
  return figures::Figures(plan).value("step_time").value_or(0);
}
bool isTight(const ir::Plan& plan) {
  return llvm::any_of(plan.memory, [&](const ir::RankMemory& rank) {
    return static_cast<double>(rank.peak()) >
           (1 - plan.lint.headroom) * static_cast<double>(rank.usable);
  });
}

/// The only message with this code; nothing without it.
const Diagnostic* messageOf(const DiagnosticEngine& diags, const char* code) {
  for (const Diagnostic& d : diags.diagnostics())
    if (llvm::StringRef(d.info.code) == code)
      return &d;
  return nullptr;
}
} // namespace

TEST(AskedLayouts, AreTakenByTheirFramework) {
  std::size_t refused = 0;
  for (const char* framework : {"megatron", "torchtitan", "deepspeed", "pytorch", "accelerate"}) {
    const std::string fields = fmt::format("framework = {}", framework);
    EXPECT_EQ(whyRefused(found({}, fields)), "") << framework;
    refused += whyRefused(found({}, fields, false)).empty() ? 0 : 1;
  }
  EXPECT_GE(refused, 1U); // else nothing is tried here
}

TEST(AskedLayouts, AreTakenWhereTheFrameworkRefusesTheDefaultsOfOpenFields) {
  // DeepSpeed refuses bf16 parameters with fp32 gradients (D19) unless the optimizer is sharded.
  const File gpt2{"gpt2_small", 1, 64, "", "node.gpus = 1"};
  EXPECT_EQ(whyRefused(found(gpt2, "framework = deepspeed")), "");
}

TEST(AskedLayouts, AreNotWorseThanThoseOfAValueOfAnOpenField) {
  const File mixtral{"mixtral_8x7b"}, large{"llama3_70b", 8, 128};
  for (const auto& [file, framework] :
       {std::pair(mixtral, "megatron"), std::pair(large, "deepspeed"),
        std::pair(File(), "torchtitan"), std::pair(File(), "accelerate")}) {
    const std::string asked = fmt::format("framework = {}\n  ", framework);
    const ir::Plan open = found(file, asked);
    for (const char* value :
         {"shard.optimizer = data", "shard { optimizer = data, gradients = data }",
          "shard { optimizer = data, gradients = data, parameters = data }", "split = even",
          "recompute = none", "recompute = full", "recompute = selective { modules = [norm] }",
          "recompute = selective { modules = [norm, activation] }"}) {
      DiagnosticEngine unheard;
      const std::optional<ir::Plan> plan = completed(file, asked + value, unheard);
      const auto rank = [](const ir::Plan& p, double times) {
        return std::tuple(!whyRefused(p).empty(), isTight(p), stepOf(p) * times);
      };
      if (plan) {
        EXPECT_LE(rank(open, 1), rank(*plan, 1 + 1e-9)) << framework << " " << value;
      }
    }
  }
}

TEST(AskedLayouts, ProposedSplits_AreTakenAndGainWhatIsSaid) {
  std::size_t proposed = 0;
  for (const char* framework : {"deepspeed", "megatron", "torchtitan", "accelerate"})
    for (const char* layers : {"layers = 62", "layers = 94"}) {
      const File file{"llama3_70b", 8, 128, layers};
      const std::string asked = fmt::format("framework = {}\n  ", framework);
      DiagnosticEngine diags, unheard;
      const std::optional<ir::Plan> even = completed(file, asked + "split = even", diags);
      const Diagnostic* said = messageOf(diags, "DPL0389");
      if (!said)
        continue;
      ++proposed;
      const std::optional<ir::Plan> edited = completed(file, asked + "split = by_flop", unheard);
      ASSERT_TRUE(even && edited) << framework;
      EXPECT_EQ(whyRefused(*edited), "") << framework << said->label;
      const llvm::StringRef gain = llvm::StringRef(said->label).rsplit("takes ").second;
      unsigned percent = 0;
      ASSERT_FALSE(gain.split(' ').first.getAsInteger(10, percent)) << said->label;
      EXPECT_NEAR(100 * (1 - stepOf(*edited) / stepOf(*even)), percent, 1) << framework;
    }
  EXPECT_GE(proposed, 1U);
}

TEST(AskedLayouts, WhatFitsInTheirPlace_IsTaken) {
  std::size_t proposed = 0;
  // Accelerate has no uneven split.
  for (const char* framework : {"deepspeed", "megatron", "accelerate"}) {
    const File file{"llama2_70b", 3, 96};
    const std::string asked = fmt::format("framework = {}\n  recompute = none\n  ", framework);
    DiagnosticEngine diags, unheard;
    if (completed(file, asked + "split = even, shard.optimizer = data", diags))
      continue;
    const Diagnostic* error = messageOf(diags, "DPL0332");
    ASSERT_TRUE(error) << framework << diags.firstError();
    const auto [setting, layout] = llvm::StringRef(error->help).split("` fits: ");
    if (layout.empty())
      continue;
    ++proposed;
    const bool isSplit = setting.contains("split"), isShard = setting.contains("shard");
    const std::string fields = std::string(isSplit ? "" : "split = even\n  ") +
                               (isShard ? "" : "shard.optimizer = data\n  ") +
                               setting.drop_front().str();
    const std::optional<ir::Plan> plan =
        completed(file,
                  llvm::StringRef(fields).contains("recompute")
                      ? fmt::format("framework = {}\n  {}", framework, fields)
                      : asked + fields,
                  unheard);
    ASSERT_TRUE(plan) << framework << fields << unheard.firstError();
    EXPECT_EQ(whyRefused(*plan), "") << framework << " " << error->help;
  }
  EXPECT_EQ(proposed, 3U);
}

TEST(AskedLayouts, AreEstimatedWithDefaultsThatFollowTheSequence) {
  // DeepSpeed's pipelines send a part of each message where the sequence is not divided.
  const ir::Plan plan = found(File(), "framework = deepspeed");
  planner::Estimator one(plan);
  for (const std::uint64_t microBatch : {1, 2})
    for (const bool sequence : {false, true}) {
      cost::LayoutCandidate candidate;
      candidate.tensor = 4, candidate.pipeline = 4, candidate.data = 1;
      candidate.microBatch = microBatch, candidate.sequenceParallel = sequence;
      EXPECT_EQ(one.exact(candidate).step, planner::Estimator(plan).exact(candidate).step)
          << microBatch << sequence;
    }
}

TEST(AskedLayouts, FitTheMemoryOfTheNodes) {
  // 16 layers of 8 devices are 240 GiB with 2 TB a node and in the fastest layout.
  const std::string fields = "offload.activations = 16";
  const auto neededOf = [](const ir::Plan& plan) { return cost::fullestNode(plan)->needed; };
  const std::uint64_t most = 200'000'000'000;
  File small;
  small.ofCluster = "node.memory = 200GB";
  EXPECT_GT(neededOf(found({}, fields)), most);
  EXPECT_LE(neededOf(found(small, fields)), most);
}

// The tensors of faster layouts leave the headroom, and not with the allocator's free blocks.
TEST(AskedLayouts, LeaveTheHeadroomBesideFreeBlocks) {
  const File mixtral{"mixtral_8x7b", 4, 512};
  for (const char* framework : {"megatron", "deepspeed"})
    EXPECT_FALSE(
        isTight(found(mixtral, fmt::format("framework = {}\n  shard.optimizer = data", framework))))
        << framework;
}

// A layout whose tensors fit, but not with free blocks, lacks memory and breaks no assertion.
TEST(AskedLayouts, WhereFreeBlocksDoNotFit_NamesASettingThatFits) {
  const File small{"llama3_8b", 1, 64, "", "node.gpu.memory = 34GiB"};
  const std::string fields = "framework = pytorch\n  micro_batch = 1seq\n  split = even\n"
                             "  recompute = none\n  shard.sequence = none\n  ";
  DiagnosticEngine diags;
  ASSERT_FALSE(completed(small, fields + "shard.optimizer = data", diags));
  const Diagnostic* error = messageOf(diags, "DPL0332");
  ASSERT_TRUE(error) << diags.firstError();
  EXPECT_EQ(error->message, "no mesh of 8 devices fits");
  const llvm::StringRef setting = llvm::StringRef(error->help).split("` fits: ").first;
  ASSERT_TRUE(setting.startswith("`shard")) << error->help;
  EXPECT_EQ(whyRefused(found(small, fields + setting.drop_front().str())), "");
}
