//===- QuickEstimateTest.cpp - Closed forms beside executed schedules of whole spaces ---------===//
#include "CompiledPlan.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include "support/FileIo.h"
#include "tests/SourceFolder.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
ir::Plan exampleOf(const std::string& name) {
  const std::string path = (test::sourceFolder() / "examples" / name).string();
  const FileText file = readFile(path);
  EXPECT_FALSE(file.failed()) << file.reason;
  return test::completedPlan(path, file.text);
}

/// How far quick steps of points are off, the largest last, and how many were executed.
struct Off {
  std::vector<double> steps;
  std::size_t executed = 0;
  Off(const ir::Plan& plan, const std::vector<cost::LayoutCandidate>& candidates) {
    planner::Estimator estimator(plan);
    for (const cost::LayoutCandidate& candidate : candidates) {
      const planner::Estimate exact = estimator.exact(candidate),
                              quick = estimator.quick(candidate);
      steps.push_back(
          std::abs(static_cast<double>(quick.step) / static_cast<double>(exact.step) - 1));
      EXPECT_EQ(quick.peak, exact.peak) << planner::textOf(candidate, true);
      EXPECT_DOUBLE_EQ(quick.share, exact.share) << planner::textOf(candidate, true);
      executed += quick.executed ? 1 : 0;
    }
    std::sort(steps.begin(), steps.end());
  }
};

class Spaces : public testing::TestWithParam<const char*> {};
} // namespace

TEST_P(Spaces, AreEstimatedQuicklyWithinAHundredth) {
  const ir::Plan plan = exampleOf(GetParam());
  const std::vector<cost::LayoutCandidate> candidates = planner::meshSpace(plan);
  ASSERT_GT(candidates.size(), 50U);
  const Off off(plan, candidates);
  EXPECT_LE(off.steps[off.steps.size() * 99 / 100], 0.01);
  EXPECT_LE(off.executed * 5, candidates.size()) << "of " << candidates.size();
}
INSTANTIATE_TEST_SUITE_P(Examples, Spaces,
                         testing::Values("llama3_70b_h100.dpl", "dualpipe_v3_h800.dpl"),
                         [](const auto& info) {
                           const std::string name = info.param;
                           return name.substr(0, name.find('.'));
                         });

/// One pipeline rank, whose first gathers and last reductions weigh most, among them.
TEST(QuickEstimate, OfEveryMicroBatchAndSplitOfADenseModel_NeedsNoExecution) {
  ir::Plan plan = exampleOf("llama3_70b_h100.dpl");
  plan.layout.microBatchGiven = plan.layout.shard.sequenceGiven = false;
  plan.layout.schedule = ir::ScheduleKind::OneForwardOneBackward, plan.layout.chunks = 1;
  planner::Estimator estimator(plan);
  std::size_t executed = 0;
  const std::vector<cost::LayoutCandidate> candidates = planner::meshSpace(plan);
  for (const cost::LayoutCandidate& candidate : candidates)
    executed += estimator.quick(candidate).executed ? 1 : 0;
  ASSERT_GT(candidates.size(), 1000U);
  EXPECT_LE(executed * 100, candidates.size());
}

/// Over slow links backward passes follow one another faster than their reductions, which are not
/// done with the first when the last begins.
TEST(QuickEstimate, OfBackwardsWithoutForwardsBetween_SeesReductionsThatFallBehind) {
  ir::Plan plan = exampleOf("llama3_70b_h100.dpl");
  plan.layout.schedule = ir::ScheduleKind::GPipe, plan.layout.chunks = 1;
  plan.layout.shard.gradients = ir::ShardAxis::Data;
  plan.layout.overlap.gradients = true;
  for (ir::NodeType& nodes : plan.cluster.nodeTypes)
    nodes.device.contention = 0; // by which their calls would show in every pass
  for (int slower = 0; slower < 4; ++slower) {
    const std::vector<cost::LayoutCandidate> candidates = planner::meshSpace(plan);
    const Off off(plan, candidates);
    EXPECT_LE(off.steps.back(), 0.01) << slower;
    EXPECT_EQ(off.executed == candidates.size(), slower > 0) << slower;
    for (ir::LinkType& link : plan.cluster.network.links)
      if (link.kind != ir::LinkKind::ScaleUp)
        link.bandwidth /= 4;
    plan.cluster.levels = ir::linkLevels(plan.cluster);
  }
}

/// ZeRO-3 over NVLink: gathering a layer's parameters takes less time than its computation. Gathers
/// are hidden where they overlap with it without contention; else the device waits for each of
/// them.
TEST(QuickEstimate, OfShardedParameters_IsTheExecutedStep) {
  const auto stepOf = [](bool overlapped) {
    ir::Plan plan = test::completedPlan("zero3.dpl", fmt::format(R"(
import std.models
import std.clusters
cluster node from clusters.dgx_h100 {{ nodes = 1 }}
layout plan for models.llama3_8b on node {{
  mesh {{ data = 8 }}
  batch = 128seq
  micro_batch = 4seq
  recompute = full
  shard {{ optimizer = data, gradients = data, parameters = data }}
  overlap {{ parameters = {0}, gradients = {0} }}
}}
)",
                                                                 overlapped));
    for (ir::NodeType& nodes : plan.cluster.nodeTypes)
      nodes.device.contention = 0;
    planner::Estimator estimator(plan);
    const cost::LayoutCandidate candidate{.data = 8, .microBatch = 16};
    const planner::Estimate exact = estimator.exact(candidate), quick = estimator.quick(candidate);
    EXPECT_FALSE(quick.executed) << overlapped;
    EXPECT_NEAR(static_cast<double>(quick.step) / static_cast<double>(exact.step), 1, 0.01)
        << overlapped;
    return static_cast<double>(exact.step);
  };
  EXPECT_GT(stepOf(false), 1.005 * stepOf(true));
}
