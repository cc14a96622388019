//===- QuickEstimateTest.cpp - Closed forms beside executed schedules of whole spaces ---------===//
#include "CompiledPlan.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include "support/FileIo.h"
#include "tests/SourceFolder.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
class Spaces : public testing::TestWithParam<const char*> {};
} // namespace

TEST_P(Spaces, AreEstimatedQuicklyWithinAHundredth) {
  const std::string path = (test::sourceFolder() / "examples" / GetParam()).string();
  std::string text, reason;
  ASSERT_EQ(readFile(path, text, reason), FileProblem::None) << reason;
  const ir::Plan plan = test::completedPlan(path, text);
  planner::Estimator estimator(plan);
  std::vector<double> off;
  std::size_t executed = 0;
  const std::vector<cost::Point> points = planner::meshSpace(plan);
  for (const cost::Point& point : points) {
    const planner::Estimate exact = estimator.exact(point), quick = estimator.quick(point);
    off.push_back(std::abs(static_cast<double>(quick.step) / static_cast<double>(exact.step) - 1));
    EXPECT_EQ(quick.peak, exact.peak) << planner::textOf(point, true);
    executed += quick.executed ? 1 : 0;
  }
  ASSERT_GT(points.size(), 50U);
  std::sort(off.begin(), off.end());
  EXPECT_LE(off[off.size() * 99 / 100], 0.01);
  EXPECT_LE(executed * 5, points.size()) << "of " << points.size();
}
INSTANTIATE_TEST_SUITE_P(Examples, Spaces,
                         testing::Values("llama3_70b_h100.dpl", "dualpipe_v3_h800.dpl"),
                         [](const auto& info) {
                           const std::string name = info.param;
                           return name.substr(0, name.find('.'));
                         });
