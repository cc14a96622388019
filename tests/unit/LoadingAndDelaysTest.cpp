//===- LoadingAndDelaysTest.cpp - Samples and late messages of simulated steps ----------------===//
#include "simulate/plan/Noise.h"
#include "simulate/plan/Simulation.h"
#include "simulate/plan/StepLoading.h"
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/Jitters.h"

using namespace dpl;
using namespace dpl::simulation;
using ir::JitterKind;

namespace {
/// Eight data ranks of 100 ms a step, which reduce so many parameters behind it.
ir::Plan planOf(const std::string& varies, std::uint64_t parameters = 25'000'000) {
  return test::completedPlan("varies.dpl", fmt::format(R"(
import std.textbook
cluster flat from textbook.flat {{ nodes = 8, {} }}
model workload from layer_list {{
  layer[0] {{ name = "all", parameters = {}, time {{ forward = 5ms, backward = 7.5ms }} }}
}}
layout plain for workload on flat {{
  mesh {{ data = rest }}
  batch = 64sample
  optimizer_time = 0s
  overlap.gradients = false
}}
)",
                                                       varies, parameters));
}

SimulationResult resultOf(const ir::Plan& plan, std::uint64_t steps, bool messages = false) {
  SimulationRequest request;
  request.steps = steps, request.messages = messages;
  return runSteps(plan, request);
}
} // namespace

TEST(LoadingAndDelays, OfASpreadOfNothing_TakeTheirMean) {
  simulate::Draws draws({1, 2, 3, 4});
  for (const JitterKind kind : {JitterKind::None, JitterKind::LogNormal, JitterKind::Gamma,
                                JitterKind::Exponential, JitterKind::Rare})
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(distributionOf(test::jitter(kind, 0)).sample(draws), 1) << static_cast<int>(kind);
  const SimulationResult late =
      resultOf(planOf("message_delay { mean = 1us, jitter = gamma { cv = 0 } }"), 3);
  EXPECT_EQ(late.steps, std::vector<std::uint64_t>(3, late.steady + 14'000'000)); // 14 messages
}

TEST(LoadingAndDelays, OfHeavyTailsAndLongSteps_CanBeCounted) {
  const simulate::Distribution over = simulate::Distribution::pareto(1.01);
  std::uint64_t longest = 0;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    simulate::Draws draws({1, 0, 0, i});
    longest = std::max(longest, drawnTime(0x1p54, over, draws));
  }
  EXPECT_EQ(longest, std::uint64_t{1} << 58);
  const ir::Plan plan = planOf(
      "data_loading { workers = 1 per gpu, sample_time = 4min, jitter = pareto { shape = 1.01 } }");
  const StepShape shape(plan, Detail::Folded);
  const std::uint64_t step = std::uint64_t{1} << 50; // 19 minutes
  LoadingSimulation loading(shape, step, 1);
  std::uint64_t most = 0;
  for (int i = 0; i < 40'000; ++i) {
    const std::uint64_t wait = loading.next().front();
    most = std::max(most, wait);
    loading.passed(wait + step);
  }
  EXPECT_GT(most, step);
  EXPECT_LE(most, std::uint64_t{1} << 58);
}

// The loading is longer than a step in which nothing varies, and shorter than those that are run.
TEST(LoadingAndDelays, OfTheFirstSteps_AreAsInTheLongRun) {
  const char* jitter = "jitter = lognormal { cv = 0.5 }";
  const SimulationResult loaded = resultOf(
      planOf(fmt::format("{}, data_loading {{ workers = 2 per gpu, sample_time = 30ms }}", jitter)),
      20);
  const SimulationResult ready = resultOf(planOf(jitter), 20);
  ASSERT_GT(loaded.steady, ready.steady);
  EXPECT_EQ(loaded.steps.front(), ready.steps.front());
  EXPECT_LT(loaded.sample().mean(), 1.05 * ready.sample().mean());
}

TEST(LoadingAndDelays, AtTheMessageLevel_SharesAreOfTheWholeStep) {
  const SimulationResult ready = resultOf(planOf("jitter = none"), 1, true);
  const SimulationResult loaded = resultOf(planOf("data_loading { sample_time = 40ms }"), 1, true);
  ASSERT_TRUE(ready.messages && loaded.messages);
  EXPECT_EQ(loaded.messages->step, loaded.steady);
  EXPECT_EQ(loaded.messages->queued, loaded.steady);
  EXPECT_NEAR(loaded.messages->hottestUse * static_cast<double>(loaded.steady),
              ready.messages->hottestUse * static_cast<double>(ready.steady), 1e6);
}

TEST(LoadingAndDelays, OfNoMessages_DoNotVary) {
  EXPECT_EQ(resultOf(planOf("message_delay { mean = 1ms }", 0), 5).steps.size(), 1U);
  EXPECT_EQ(resultOf(planOf("message_delay { mean = 1ms }"), 5).steps.size(), 5U);
}
