//===- EstimateTest.cpp - The estimate of a point is what the passes write --------------------===//
#include "cost/legality/Legality.h"
#include "ir/Names.h"
#include "passes/Pass.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include "tests/property/RandomPlan.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::ir;

TEST(Estimate, OfAPoint_IsWhatThePassesWrite) {
  std::uint64_t compared = 0;
  const std::uint64_t made = test::plansToMake();
  for (std::uint64_t seed = 1; seed <= made; ++seed) {
    Plan plan = test::randomPlan(seed);
    DiagnosticEngine unheard;
    Plan first = plan;
    if (runPipeline(first, unheard, {}).failed())
      continue;
    const cost::LayoutCandidate candidate = planner::candidateOf(first);
    planner::writeCandidate(candidate, plan.layout, cost::hasExperts(plan.model));
    Plan done = plan;
    if (runPipeline(done, unheard, {}).failed())
      continue; // another order of the axes can be illegal
    planner::Estimator estimator(plan);
    for (int again = 0; again < 2; ++again) {
      const planner::Estimate estimate = estimator.exact(candidate);
      ASSERT_TRUE(estimate.runs) << seed;
      ASSERT_EQ(estimate.step, cost::endOfSchedule(done)) << seed;
      ASSERT_EQ(estimate.peak, tightest(done.memory)->peak()) << seed;
      ASSERT_EQ(estimate.usable, tightest(done.memory)->usable) << seed;
    }
    ++compared;
  }
  EXPECT_GE(compared * 3, made * 2);
}

namespace {
/// How far the quick estimates of a schedule are off, and how many of them were executed.
struct Off {
  std::vector<double> steps, peaks;
  std::size_t executed = 0;
  /// The largest but one in a hundred, and but three where there are few.
  static double usual(std::vector<double>& values) {
    std::sort(values.begin(), values.end(), std::greater<>());
    return values[std::min(values.size() - 1, std::max<std::size_t>(3, values.size() / 100))];
  }
  static double most(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
  }
};
double off(std::uint64_t found, std::uint64_t exact) {
  return std::abs(static_cast<double>(found) / static_cast<double>(exact) - 1);
}
} // namespace

TEST(Estimate, QuickOne_IsNearTheExactOne) {
  std::map<ScheduleKind, Off> all;
  for (std::uint64_t seed = 1; seed <= test::plansToMake(); ++seed) {
    Plan plan = test::randomPlan(seed);
    DiagnosticEngine unheard;
    Plan done = plan;
    if (runPipeline(done, unheard, {}).failed())
      continue;
    const cost::LayoutCandidate candidate = planner::candidateOf(done);
    planner::Estimator estimator(plan);
    const planner::Estimate exact = estimator.exact(candidate);
    if (!exact.runs)
      continue;
    const planner::Estimate quick = estimator.quick(candidate);
    ASSERT_TRUE(quick.runs) << seed;
    EXPECT_EQ(quick.usable, exact.usable) << seed;
    Off& of = all[plan.layout.schedule];
    of.steps.push_back(off(quick.step, exact.step));
    of.peaks.push_back(off(quick.peak, exact.peak));
    of.executed += quick.executed ? 1 : 0;
  }
  std::size_t closed = 0, executed = 0; // of the rows with a closed form
  for (auto& [kind, of] : all) {
    // As docs/internals/auto-mesh.md says.
    EXPECT_LE(Off::usual(of.steps), 0.01) << ir::name(kind);
    EXPECT_LE(Off::most(of.steps), 0.05) << ir::name(kind);
    EXPECT_LE(Off::usual(of.peaks), 0.01) << ir::name(kind);
    EXPECT_LE(Off::most(of.peaks), 0.20) << ir::name(kind);
    if (cost::scheduleInfo(kind).closedForm)
      closed += of.steps.size(), executed += of.executed;
    RecordProperty(std::string(ir::name(kind)),
                   std::to_string(of.executed) + " of " + std::to_string(of.steps.size()));
  }
  EXPECT_LT(executed, closed) << "a closed form never answers";
}
