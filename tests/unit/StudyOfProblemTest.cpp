//===- StudyOfProblemTest.cpp - Studies of runs that last until a problem is solved -----------===//
#include "tests/unit/StudyRuns.h"
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::test;
using testing::HasSubstr;

namespace {
/// Four workers of 1 s a step, whose run descends `problem` with `layout` in its layout.
std::string descentOf(const std::string& problem, const std::string& layout,
                      const std::string& study) {
  return fmt::format(R"(
import std.textbook
cluster flat from textbook.flat {{ nodes = 4, nic.latency = 0us, price = 3600usd/h per gpu }}
model work from layer_list {{
  layer[0] {{ name = "all", parameters = 0, time {{ forward = 0.25s, backward = 0.75s }} }}
}}
layout plain for work on flat {{
  mesh {{ data = rest }}
  batch = 4sample
  optimizer_time = 0s
  {}
}}
quadratic bowl {{ curvature = listed {{ curvatures = [1] }}, {} }}
run train for plain {{ phase[0] {{ problem = bowl }} }}
study scale for train {{
  {}
}}
)",
                     layout, problem, study);
}
constexpr const char* slowly = "optimizer = sgd { momentum = 0.0, lr = constant { value = 0.1 } }";
} // namespace

// 0.9^88 is the first power of 0.9 that is at most 1e-4.
TEST(StudyOfProblem, StepsAreCounted_AndTimeAndCostFollow) {
  const Ran ran = run(descentOf("", slowly,
                                "vary { bowl.goal.share in [1.0e-4] }\n  outputs = "
                                "[run[train].updates, run[train].time, run[train].cost]"));
  ASSERT_TRUE(ran.results) << ran.errors;
  const double steps = std::ceil(std::log(1e-4) / std::log(0.9));
  EXPECT_EQ(ran.value(0, 0), steps);
  EXPECT_DOUBLE_EQ(ran.value(0, 1), steps);
  EXPECT_NEAR(ran.value(0, 2), 4 * steps, 1e-6); // a dollar a second and device
}

// Asynchronous workers that take as long each update one after another: four updates a second.
TEST(StudyOfProblem, OfAsynchronousWorkers_TheRecordGivesTheTime) {
  const Ran ran =
      run(descentOf("", std::string(slowly) + "\n  synchronization = asynchronous",
                    "vary { bowl.goal.share in [1.0e-4] }\n  outputs = "
                    "[run[train].updates, run[train].time, run[train].staleness.mean]"));
  ASSERT_TRUE(ran.results) << ran.errors;
  EXPECT_NEAR(ran.value(0, 1), std::ceil(ran.value(0, 0) / 4), 1e-9);
  EXPECT_LE(ran.value(0, 2), 3);
  EXPECT_GT(ran.value(0, 2), 2.8);
}

TEST(StudyOfProblem, StatisticsAreOverSeeds) {
  const Ran ran = run(descentOf(
      "noise = 0.01, staleness = uniform { most = 5 }, goal = distance { share = 0.1 }", slowly,
      "vary { bowl.steady in [false] }\n  seeds = 1..9\n  outputs = [run[train].updates, "
      "run[train].updates.p50, run[train].updates.max, run[train].time.max]"));
  ASSERT_TRUE(ran.results) << ran.errors;
  EXPECT_LE(ran.value(0, 1), ran.value(0, 2));
  EXPECT_LE(ran.value(0, 0), ran.value(0, 2));
  EXPECT_DOUBLE_EQ(ran.value(0, 3), ran.value(0, 2)); // a second each
}

TEST(StudyOfProblem, ThatDiverges_HasNoUpdatesAndSaysWhy) {
  const Ran ran = run(descentOf("", "optimizer = sgd { lr = constant { value = 4 } }",
                                "vary { bowl.max_steps in [100_000step, 1step] }\n  outputs = "
                                "[run[train].updates, run[train].diverges]"));
  ASSERT_TRUE(ran.results) << ran.errors;
  EXPECT_TRUE(std::isnan(ran.value(0)));
  EXPECT_EQ(ran.value(0, 1), 1);
  EXPECT_TRUE(std::isnan(ran.value(1)));
  EXPECT_EQ(ran.value(1, 1), 0);
  EXPECT_THAT(ran.errors, HasSubstr("run `train` diverges"));
}

TEST(StudyOfProblem, ARateMayFollowTheBatch) {
  const Ran ran =
      run(descentOf("",
                    "optimizer = sgd { momentum = 0.0, lr = constant { value = 0.1, batch_scaling "
                    "= square_root { base = 16sample } } }",
                    "vary { bowl.goal.share in [1.0e-4] }\n  outputs = [run[train].updates]"));
  ASSERT_TRUE(ran.results) << ran.errors;
  EXPECT_EQ(ran.value(0), std::ceil(std::log(1e-4) / std::log(0.95)));
}
