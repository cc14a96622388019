//===- AllocationTest.cpp - What is asked for millions of times allocates nothing -------------===//
#include "cost/collectives/CollectiveCost.h"
#include "cost/compute/WeightUse.h"
#include "cost/execution/OrderStatistics.h"
#include "cost/schedules/Schedule.h"
#include "passes/Pass.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include "tests/property/RandomPlan.h"
#include "tests/unit/Jitters.h"
#include "tests/unit/SamplePlan.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <new>

using namespace dpl;
using namespace dpl::ir;

namespace {
/// Allocations of this thread since it began, with `new` of every kind.
thread_local std::uint64_t allocations = 0;
} // namespace

// The other forms of `new` and `delete` call these.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1))
    return memory;
  std::abort();
}
// But this one: a sanitizer has its own.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST(Allocations, AreCounted) {
  const std::uint64_t before = allocations;
  const auto held = std::make_unique<std::uint64_t>(1);
  EXPECT_EQ(allocations - before, *held);
}

TEST(Allocations, OfACollective_AreNone) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Plan plan = test::randomPlan(seed);
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed())
      continue;
    const std::uint64_t before = allocations;
    double seconds = 0;
    for (const Collective& c : plan.collectives)
      seconds += cost::collectiveCost(c.kind, static_cast<double>(c.bytes),
                                      {plan.groups[c.group].inside}, plan.cluster.levels)
                     .seconds;
    EXPECT_EQ(allocations, before) << seconds;
  }
}

TEST(Allocations, OfABarrier_AreNone) {
  const std::uint64_t before = allocations;
  const Jitter jitter = test::jitter(JitterKind::LogNormal, 0.05);
  const double first = cost::barrierAmplification(jitter, 512, 8);
  EXPECT_EQ(cost::barrierAmplification(jitter, 512, 8), first);
  EXPECT_EQ(allocations, before);
}

/// What is worked out before there are tables: a fifth of the time is that of allocations.
TEST(Allocations, OfAFirstEstimate_AreFew) {
  Plan plan = test::samplePlan();
  plan.cluster.nodes = plan.cluster.nodeTypes.front().nodes = 64;
  test::setNetwork(plan.cluster, 1, {3'600'000'000'000, 2'000'000, 0.8},
                   {400'000'000'000, 5'000'000, 0.8});
  plan.layout.batch = 512, plan.layout.shard.sequenceGiven = false;
  cost::LayoutCandidate candidate;
  candidate.tensor = candidate.pipeline = candidate.data = 8, candidate.sequenceParallel = true;
  const auto allocationsOf = [&](auto estimate) {
    planner::Estimator estimator(plan);
    const std::uint64_t before = allocations;
    EXPECT_TRUE(estimate(estimator).runs);
    return allocations - before;
  };
  EXPECT_LE(allocationsOf([&](planner::Estimator& e) { return e.quick(candidate); }), 48U);
  EXPECT_LE(allocationsOf([&](planner::Estimator& e) { return e.exact(candidate); }), 195U);
}

TEST(Allocations, OfAnEstimateWhoseTablesAreFilled_AreNone) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Plan plan = test::randomPlan(seed);
    if (cost::scheduleInfo(plan.layout.schedule).byTime)
      continue; // its lists are made anew for each point
    if (!plan.layout.microBatchCosts.empty())
      continue; // so are the clocks by what a micro-batch costs
    if (!plan.layout.compression.empty() &&
        plan.layout.compression.front().kind == CompressionKind::LowRank)
      continue; // so are the matrices that are sent as factors
    if (cost::tracksUse(plan.layout))
      continue; // so are the uses of a chunk's weights
    planner::Estimator estimator(plan);
    std::vector<cost::LayoutCandidate> candidates = planner::meshSpace(plan);
    candidates.resize(std::min<std::size_t>(candidates.size(), 20));
    std::uint64_t sum = 0;
    const auto all = [&] {
      for (const cost::LayoutCandidate& candidate : candidates)
        sum += estimator.exact(candidate).step + estimator.quick(candidate).step;
    };
    all(), all(); // what runs again stores its order
    const std::uint64_t before = allocations;
    all();
    EXPECT_EQ(allocations, before) << "seed " << seed << ", " << sum;
  }
}
