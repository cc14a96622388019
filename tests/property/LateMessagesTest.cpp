//===- LateMessagesTest.cpp - Collectives as one event beside all of their messages -----------===//
#include "passes/Pass.h"
#include "simulate/plan/Simulation.h"
#include "tests/property/RandomPlan.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::simulation;

namespace {
constexpr std::uint64_t steps = 24;

double meanOf(const ir::Plan& plan, bool messages, Detail detail) {
  SimulationRequest request;
  request.detail = detail, request.steps = steps, request.threads = 1;
  request.messages = messages, request.links = false;
  return runSteps(plan, request).sample().mean();
}

/// How far the mean of a level that runs a collective as one event is from that of all messages,
/// as a share of the step.
struct Differences {
  double sum = 0, most = 0;
  /// `apart`: what the levels differ by without late messages.
  void add(double level, double messages, double apart) {
    const double off = (level - messages - apart) / messages;
    sum += off, most = std::max(most, std::abs(off));
  }
};
} // namespace

// 10 plans of 300. What both levels leave out without delays, the sharing of links, is taken off;
// late messages share links less.
TEST(LateMessages, AreAsLateWhereACollectiveIsOneEvent_Slow) {
  const std::uint64_t wanted = test::plansToMake() / 30;
  std::uint64_t compared = 0;
  Differences events, groups;
  for (std::uint64_t seed = 1; compared < wanted && seed <= test::plansToMake() * 4; ++seed) {
    ir::Plan plan = test::randomPlan(seed);
    plan.cluster.jitter = {};
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed() || !plan.steady.empty() ||
        plan.collectives.empty() || StepShape(plan, Detail::Collective).segments() > 2e4)
      continue;
    ir::Plan late = plan;
    ir::MessageDelay& delay = late.cluster.delay.emplace_back();
    delay.mean = 50'000'000, delay.jitter.kind = ir::JitterKind::Exponential;
    delay.jitter.spread = 1;
    SimulationRequest request;
    request.steps = steps;
    if (!whyNotSimulated(late, request).empty())
      continue;
    ++compared;
    const double each = meanOf(late, true, Detail::Collective),
                 apart =
                     static_cast<double>(steadyStep(plan)) - meanOf(plan, true, Detail::Collective);
    events.add(meanOf(late, false, Detail::Collective), each, apart);
    groups.add(meanOf(late, false, Detail::Operation), each, apart);
  }
  EXPECT_EQ(compared, wanted);
  const auto within = [&](const std::string& level, const Differences& of) {
    const double mean = of.sum / static_cast<double>(compared);
    EXPECT_LE(std::abs(mean), 0.01) << level;
    EXPECT_LE(of.most, 0.06) << level;
    RecordProperty("mean_difference_of_" + level, fmt::format("{:.4f}", mean));
    RecordProperty("largest_difference_of_" + level, fmt::format("{:.4f}", of.most));
  };
  within("collectives", events), within("operations", groups);
  RecordProperty("plans", std::to_string(compared));
}
