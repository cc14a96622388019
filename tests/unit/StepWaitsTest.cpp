//===- StepWaitsTest.cpp - The critical path of a step through its ranks ----------------------===//
#include "simulate/plan/StepWaits.h"
#include "simulate/plan/PathPicture.h"
#include "tests/unit/CompiledPlan.h"
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::simulation;

namespace {
/// "unit does from-to".
std::vector<std::string> words(const std::vector<PathPart>& path) {
  std::vector<std::string> out;
  for (const PathPart& part : path)
    out.push_back(fmt::format("{} {} {}-{}", part.rank,
                              part.computes                      ? "computes"
                              : part.what == WaitFor::Message    ? "message"
                              : part.what == WaitFor::Collective ? "collective"
                                                                 : "barrier",
                              part.from, part.to));
  return out;
}
} // namespace

// 0 computes to 10 and sends, 1 has it at 12 and computes to 30, where both call a collective of 5,
// 0 since 25. 0 is through at 40, 1 at 50, and 0 updates to 60.
TEST(StepWaits, ThePathIsWhoSetOffWhat) {
  StepWaits waits(2);
  waits.add(1, {12, 10, 0, WaitFor::Message});
  waits.add(0, {35, 30, 1, WaitFor::Collective});
  waits.add(1, {35, 30, 1, WaitFor::Collective});
  waits.add(0, {50, 50, 1, WaitFor::Barrier});
  EXPECT_EQ(
      words(criticalPath(waits, 0, 0, 60)),
      (std::vector<std::string>{"0 computes 0-10", "0 message 10-12", "1 computes 12-30",
                                "1 collective 30-35", "1 computes 35-50", "0 computes 50-60"}));
  EXPECT_TRUE(criticalPath(StepWaits(1), 0, 0, 0).empty());
}

namespace {
ir::Plan planOf(const std::string& cluster, const std::string& layout) {
  return test::completedPlan("plan.dpl", fmt::format(R"(import std.models
import std.clusters
cluster pod from clusters.dgx_h100 {{ nodes = 4, {} }}
layout plain for models.gpt2_small on pod {{
  batch = 64seq
  micro_batch = 1seq
  {}
}}
)",
                                                     cluster, layout));
}
SimulationResult resultOf(const ir::Plan& plan, Detail detail, bool messages = false) {
  SimulationRequest request;
  request.detail = detail, request.steps = 6, request.path = true, request.messages = messages;
  return runSteps(plan, request);
}
} // namespace

// The parts follow one another from the start of the step to its end, at every level.
TEST(StepPath, FillsTheStep) {
  for (const char* layout :
       {"mesh { pipeline = 4, data = rest, tensor = 2 }", "mesh { data = rest }",
        "mesh { pipeline = 2, data = rest, tensor = 4 }\n shard { optimizer = data }",
        "mesh { data = rest }\n shard { parameters = data, gradients = data, optimizer = data }",
        "mesh { pipeline = 4, data = rest, tensor = 2 }\n overlap.pipeline = false",
        "mesh { pipeline = 4, data = rest, tensor = 2 }\n schedule = zb_h1",
        "mesh { pipeline = 4, data = rest, tensor = 2 }\n schedule = zb_h2\n post_validation = "
        "true"})
    for (const char* jitter :
         {"jitter = none", "jitter = lognormal { cv = 0.1 }", "data_loading { sample_time = 1s }",
          "jitter = lognormal { cv = 0.1 }, data_loading { sample_time = 1s, jitter = gamma { cv = "
          "0.5 } }"})
      for (const auto& [detail, messages] : {std::pair(Detail::Operation, false),
                                             {Detail::Collective, false},
                                             {Detail::Collective, true}}) {
        const ir::Plan plan = planOf(jitter, layout);
        const SimulationResult result = resultOf(plan, detail, messages);
        ASSERT_TRUE(result.path) << layout;
        const StepPath& path = *result.path;
        EXPECT_EQ(path.time, result.steps[path.step]) << layout; // run again, to the picosecond
        std::uint64_t at = 0;
        for (const PathPart& part : path.parts) {
          EXPECT_EQ(part.from, at) << layout;
          at = part.to;
        }
        EXPECT_EQ(at, path.time) << layout;
        const PathPart& first = path.parts.front();
        EXPECT_EQ(!first.computes && first.what == WaitFor::Samples, !plan.cluster.loading.empty())
            << layout << jitter;
      }
}

// One of four stages computes three times as long: most of the path is its own.
TEST(StepPath, LeadsThroughTheRankThatIsWaitedFor) {
  const ir::Plan plan = planOf("jitter = none", "mesh { pipeline = 4, data = rest, tensor = 2 }\n"
                                                "split = [1, 1, 9, 1]");
  const SimulationResult result = resultOf(plan, Detail::Operation);
  std::vector<double> on(4);
  for (const PathPart& part : result.path->parts)
    on[result.path->pipelineRank[part.rank]] += static_cast<double>(part.to - part.from);
  EXPECT_GT(on[2], 0.8 * static_cast<double>(result.path->time));
}

// The legend has the kinds of parts that the path has.
TEST(StepPath, Drawn_HasTheLegendOfItsParts) {
  const ir::Plan plan = planOf("jitter = none", "mesh { data = rest }");
  StepPath path;
  path.pipelineRank = path.device = {0};
  path.parts = {{0, true, WaitFor::Message, 0, 5}, {0, false, WaitFor::Collective, 5, 9}};
  path.time = 9;
  const std::string picture = renderSvg(plan, path);
  for (const char* word : {">computes</text>", ">collective</text>"})
    EXPECT_NE(picture.find(word), std::string::npos) << word;
  for (const char* word : {">message</text>", ">samples</text>"})
    EXPECT_EQ(picture.find(word), std::string::npos) << word;
}

// One of eight devices takes half as long again, and its parameters are gathered ahead: all wait
// for it, whichever call they are held up by.
TEST(StepPath, OfShardedParameters_IsTheComputationOfTheSlowDevice) {
  const ir::Plan plan = test::completedPlan("plan.dpl", R"(import std.models
import std.clusters
cluster pod from clusters.dgx_h100 { nodes = 1, jitter = bimodal { fraction = 0.1, slowdown = 1.5 } }
layout plain for models.llama3_8b on pod {
  batch = 32seq
  micro_batch = 1seq
  mesh { data = 8 }
  shard { parameters = data, gradients = data, optimizer = data }
}
)");
  SimulationRequest request;
  request.detail = Detail::Collective, request.steps = 1, request.path = true;
  const SimulationResult result = runSteps(plan, request);
  ASSERT_TRUE(result.path);
  const auto step = static_cast<double>(result.path->time);
  ASSERT_GT(step, 1.3 * static_cast<double>(result.steady)); // somebody is slow
  std::map<std::uint32_t, double> computed;
  for (const PathPart& part : result.path->parts)
    if (part.computes)
      computed[part.rank] += static_cast<double>(part.to - part.from);
  double most = 0;
  for (const auto& [unit, ps] : computed)
    most = std::max(most, ps);
  EXPECT_GT(most, 0.9 * step);
  // Those that are not slow wait for nothing else.
  const MeanRankTimes& of = result.ranks.front();
  EXPECT_GT(of.peerWait, 0.9 * of.collectives);
  EXPECT_LE(of.peerWait, of.collectives);
}
