//===- StepTimelineTest.cpp - What each rank does over a step, and who is slow ----------------===//
#include "simulate/plan/StepTimeline.h"
#include "simulate/plan/Simulation.h"
#include "tests/unit/CompiledPlan.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::simulation;

namespace {
std::string words(const std::vector<TimelinePart>& parts) {
  std::string out;
  for (const TimelinePart& part : parts)
    out += fmt::format("{}{}-{} ", "C=w:i"[static_cast<std::size_t>(part.activity)], part.from,
                       part.to);
  return out;
}

ir::Plan planOf(const std::string& jitter, const std::string& mesh) {
  return test::completedPlan("plan.dpl", fmt::format(R"(import std.models
import std.clusters
cluster pod from clusters.dgx_h100 {{ nodes = 2, {} }}
layout plain for models.gpt2_small on pod {{
  batch = 32seq
  micro_batch = 1seq
  mesh {{ {} }}
}}
)",
                                                     jitter, mesh));
}
SimulationResult resultOf(const ir::Plan& plan, Detail detail, std::uint64_t steps) {
  SimulationRequest request;
  request.detail = detail, request.steps = steps, request.timeline = true;
  return runSteps(plan, request);
}
} // namespace

// Samples to 3; computes to 10; what it needs is called at 14 and there at 16; its own message is
// under way when it waits for it; through at 40 and at the barrier to 50, where the update is 5.
TEST(StepTimeline, IsWhatWaitsLeave) {
  EXPECT_EQ(words(timelineOf({{3, 0, 0, WaitFor::Samples, 0},
                              {16, 14, 1, WaitFor::Collective, 10},
                              {25, 19, 0, WaitFor::Message, 20},
                              {50, 50, 1, WaitFor::Barrier, 40}},
                             55, 60)),
            ":0-3 C3-10 w10-14 =14-16 C16-20 =20-25 C25-40 i40-50 C50-55 i55-60 ");
  EXPECT_EQ(words(timelineOf({}, 0, 7)), "i0-7 ");
}

// Of one step that is drawn, so that its means are it.
TEST(StepTimeline, OfAStep_HasNoGap_AndTheSumsOfItsTable) {
  for (const Detail detail : {Detail::Operation, Detail::Collective}) {
    const SimulationResult result = resultOf(
        planOf("jitter = lognormal { cv = 0.2 }", "pipeline = 2, data = 4, tensor = 2"), detail, 1);
    ASSERT_TRUE(result.timeline);
    EXPECT_EQ(result.timeline->time, result.steps.front());
    std::vector<MeanRankTimes> ranks(2);
    double idle = 0;
    std::size_t slowest = 0;
    for (const RankTimeline& unit : result.timeline->ranks) {
      std::uint64_t at = 0;
      for (const TimelinePart& part : unit.parts) {
        EXPECT_EQ(part.from, at);
        at = part.to;
      }
      EXPECT_EQ(at, result.steps.front());
      const auto sums = unit.sums();
      MeanRankTimes& rank = ranks[unit.pipelineRank];
      rank.compute += static_cast<double>(sums[0]);
      rank.inputWait += static_cast<double>(sums[1] + sums[2]);
      idle += static_cast<double>(sums[4]);
      slowest += unit.slowest ? 1 : 0;
    }
    EXPECT_EQ(slowest, 1U);
    const double columns = static_cast<double>(result.timeline->ranks.size()) / 2;
    double barrier = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const MeanRankTimes& of = result.ranks[i];
      EXPECT_NEAR(ranks[i].compute, of.compute * columns, 10);
      EXPECT_NEAR(ranks[i].inputWait, (of.collectives + of.inputWait + of.sending) * columns, 10);
      barrier += of.barrier * columns;
    }
    EXPECT_GE(idle, barrier - 10); // and what others' updates take longer
  }
}

// A device that keeps its number is named; with a new one in each step nobody is.
TEST(StepTimeline, NamesARankThatStaysSlow) {
  const SimulationResult stays =
      resultOf(planOf("jitter = lognormal { cv = 0.2, persistence = 100_000step }", "data = 16"),
               Detail::Collective, 40);
  ASSERT_TRUE(stays.slowest);
  EXPECT_DOUBLE_EQ(stays.slowest->share, 1);
  std::uint64_t most = 0, device = 0;
  for (const RankTimeline& unit : stays.timeline->ranks)
    if (const std::uint64_t computes = unit.sums()[0]; computes > most)
      most = computes, device = unit.device;
  EXPECT_EQ(device, stays.slowest->device);
  for (const RankTimeline& unit : stays.timeline->ranks)
    EXPECT_EQ(unit.slowest, unit.device == stays.slowest->device);
  // Of those that are alike in most steps nobody is slow.
  for (const char* jitter :
       {"lognormal { cv = 0.2 }", "bimodal { fraction = 0.001, slowdown = 40 }"})
    EXPECT_FALSE(
        resultOf(planOf(fmt::format("jitter = {}", jitter), "data = 16"), Detail::Collective, 40)
            .slowest);
}
