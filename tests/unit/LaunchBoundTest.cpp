//===- LaunchBoundTest.cpp - Launch-bound time, and the fields that decide it -----------------===//
#include "figures/LaunchBound.h"
#include "backends/report/StepComponents.h"
#include "cost/step/StepTimes.h"
#include "figures/Figures.h"
#include "tests/unit/CompiledPlan.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;

/// Of the rank that sets the step it is the part of the step that `check` shows.
TEST(LaunchBound, OfEachRank_IsThatOfTheStepOnItsRank) {
  for (const char* schedule :
       {"1f1b", "interleaved_1f1b { chunks = 4 }", "dualpipe", "zb_v", "zb_h1"})
    for (const char* recompute : {"none", "full"}) {
      const ir::Plan plan = test::completedPlan("launches.dpl", fmt::format(R"(
import std.models
import std.clusters
cluster pod from clusters.dgx_h100 {{ nodes = 4 }}
layout plan for models.qwen3_30b_a3b on pod {{
  batch = 64seq
  mesh {{ pipeline = 4, data = rest, experts {{ expert = 8, data = rest }} }}
  schedule = {}
  recompute = {}
  shard {{ parameters = data, gradients = data, optimizer = data }}
}}
)",
                                                                            schedule, recompute));
      ASSERT_FALSE(plan.memory.empty()) << schedule;
      const std::vector<double> ranks = figures::launchBoundOfRanks(plan);
      ASSERT_EQ(ranks.size(), 4U);
      const double step = figures::Figures(plan).value("time.launch_bound").value_or(0);
      EXPECT_GT(step, 0) << schedule;
      EXPECT_NEAR(ranks[cost::stepTimes(plan).rank], step, 1e-9 * step) << schedule;
    }
}

/// Graphs are named only if the framework of the layout can capture them.
TEST(LaunchBound, Fields_AreThoseThatTheFrameworkHas) {
  const auto fields = [](const char* framework) {
    return report::fieldsOfLaunches(test::completedPlan("launches.dpl", fmt::format(R"(
import std.models
import std.clusters
cluster pod from clusters.dgx_h100 {{ nodes = 1 }}
layout plan for models.gpt2_small on pod {{
  batch = 64seq
  mesh {{ data = 8 }}
  {}
}}
)",
                                                                                    framework)));
  };
  for (const char* takes :
       {"", "framework = megatron", "framework = megatron { version = \"0.15\" }",
        "framework = megatron\n  recompute = full"})
    EXPECT_EQ(fields(takes), "`cuda_graphs = false` and `micro_batch = 1seq` decide it") << takes;
  for (const char* refuses :
       {"framework = deepspeed", "framework = torchtitan { version = \"0.2.2\" }",
        "framework = megatron { version = \"0.15\" }\n  recompute = full"})
    EXPECT_EQ(fields(refuses), "`micro_batch = 1seq` decides it") << refuses;
}
