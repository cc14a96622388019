//===- EstimateTest.cpp - The estimate of a point is what the passes write --------------------===//
#include "cost/Legality.h"
#include "passes/Pass.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include "tests/property/RandomPlan.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
cost::Point pointOf(const Plan& plan) {
  const auto size = [&](Axis axis) { return static_cast<std::uint32_t>(plan.mesh.size(axis)); };
  cost::Point point;
  point.replica = size(Axis::Replica), point.pipeline = size(Axis::Pipeline);
  point.data = size(Axis::Data), point.context = size(Axis::Context);
  point.tensor = size(Axis::Tensor), point.expert = size(Axis::Expert);
  point.expertTensor = size(Axis::ExpertTensor);
  point.microBatch = static_cast<std::uint32_t>(plan.layout.microBatch);
  point.sequenceParallel = plan.layout.shard.sequence == ShardAxis::Tensor;
  return point;
}

} // namespace

TEST(Estimate, OfAPoint_IsWhatThePassesWrite) {
  std::uint64_t compared = 0;
  const std::uint64_t made = test::plansToMake();
  for (std::uint64_t seed = 1; seed <= made; ++seed) {
    Plan plan = test::randomPlan(seed);
    DiagnosticEngine unheard;
    Plan first = plan;
    if (runPipeline(first, unheard, {}).failed())
      continue;
    const cost::Point point = pointOf(first);
    planner::writePoint(point, plan.layout, cost::hasExperts(plan.model));
    Plan done = plan;
    if (runPipeline(done, unheard, {}).failed())
      continue; // another order of the axes can be illegal
    planner::Estimator estimator(plan);
    for (int again = 0; again < 2; ++again) {
      const planner::Estimate estimate = estimator.exact(point);
      ASSERT_TRUE(estimate.runs) << seed;
      ASSERT_EQ(estimate.step, cost::endOfSchedule(done)) << seed;
      ASSERT_EQ(estimate.peak, tightest(done.memory)->peak()) << seed;
      ASSERT_EQ(estimate.usable, tightest(done.memory)->usable) << seed;
    }
    ++compared;
  }
  EXPECT_GE(compared * 3, made * 2);
}
