//===- DrawnFiguresTest.cpp - What studies show of simulated steps and drawn runs -------------===//
#include "ir/DrawnFigures.h"
#include "tests/SourceFolder.h"
#include "tests/unit/StudyRuns.h"
#include <cmath>
#include <fstream>
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::test;
using testing::HasSubstr;

namespace {
/// A run of 1000 steps that fails now and then.
std::string withRun(const std::string& study) {
  std::string text = fileOf(study);
  text.replace(text.find("scale for plain"), 15, "scale for train");
  text.replace(text.find("nodes = 2,"), 10,
               "nodes = 2, failures { node = (1 / 10min) per node, restart = 10s }, "
               "storage { write = 1GB/s },");
  return text + "run train for plain { phase[0] { steps = 4000step }\n"
                "  checkpoint { interval = 200step } }\n";
}
} // namespace

TEST(DrawnFigures, AreNamedByAFigureAndAStatisticOrAThreshold) {
  using Kind = ir::DrawnFigure::DrawnFigureKind;
  const auto late = ir::drawnFigureNamed("step_time.above[100ms]");
  ASSERT_TRUE(late);
  EXPECT_EQ(late->kind, Kind::Above);
  EXPECT_EQ(late->figure, "step_time");
  EXPECT_DOUBLE_EQ(late->number, 0.1);
  EXPECT_TRUE(ir::dimensionOfDrawn("step_time.above[100ms]").none());
  for (const char* none :
       {"step_time.above", "step_time.above[]", "step_time.above[100]", "step_time.above[100MB]",
        "memory.peak.above[1GB]", "simulated.above", "run[train].steps.mean", "run[].time.mean",
        "run[train].time", "optimal_interval.drawn", "run[train].optimal_interval.mean"})
    EXPECT_FALSE(ir::drawnFigureNamed(none)) << none;
  const auto run = ir::drawnFigureNamed("run[train].time.above[30d]");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->run, "train");
  EXPECT_EQ(run->figure, "run[train].time");
  const auto best = ir::drawnFigureNamed("run[train].optimal_interval.drawn");
  ASSERT_TRUE(best);
  EXPECT_EQ(best->kind, Kind::Interval);
  EXPECT_EQ(best->run, "train");
  EXPECT_EQ(ir::dimensionOfDrawn("run[train].optimal_interval.drawn"), *dimensionNamed("Duration"));
  EXPECT_EQ(ir::drawnFigureNamed("simulated.staleness.p99")->kind, Kind::OfSteps);
  EXPECT_EQ(ir::dimensionOfDrawn("simulated.exchange"), *dimensionNamed("Duration"));
  EXPECT_EQ(ir::dimensionOfDrawn("run[train].cost.max"), *dimensionNamed("Money"));
}

TEST(DrawnFigures, OfDataRanks_StandOnThePageOfStudies) {
  std::ifstream file(sourceFolder() / "docs/reference/study.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  for (const ir::SimulatedFigure& row : ir::simulatedFigures()) {
    llvm::StringRef name = row.path;
    ASSERT_TRUE(name.consume_front("simulated."));
    EXPECT_NE(page.find("`" + name.str() + "`"), std::string::npos) << row.path;
  }
}

TEST(DrawnFigures, OfProblems_AreNamedByARunAndPerhapsAStatistic) {
  using Kind = ir::DrawnFigure::DrawnFigureKind;
  const auto first = ir::drawnFigureNamed("run[train].staleness.p95");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->kind, Kind::OfProblem);
  EXPECT_EQ(first->figure, "staleness.p95");
  EXPECT_EQ(first->statistic, nullptr);
  const auto all = ir::drawnFigureNamed("run[train].updates.p95");
  ASSERT_TRUE(all && all->statistic);
  EXPECT_EQ(all->figure, "updates");
  EXPECT_EQ(all->statistic->quantile, 0.95);
  for (const char* none : {"run[train].stable_below.mean", "run[].updates", "run[train].steps.p50"})
    EXPECT_FALSE(ir::drawnFigureNamed(none)) << none;
  EXPECT_TRUE(ir::dimensionOfDrawn("run[train].updates.mean").none());
  std::ifstream file(sourceFolder() / "docs/guide/converge.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  for (const ir::ProblemFigure& row : ir::problemFigures()) {
    const llvm::StringRef name = row.name;
    const std::string last =
        name.startswith("staleness.p") ? "." + name.rsplit('.').second.str() : name.str();
    EXPECT_NE(page.find("`" + last + "`"), std::string::npos) << row.name;
  }
}

TEST(Study, TheShareAboveAThreshold_IsOfSteps) {
  const std::string outputs =
      "  outputs = [step_time.above[40ms], step_time.p50, step_time.above[1s], mfu.above[0]]\n";
  const Ran ran = run(fileOf("  vary { pod.jitter.cv in [0.2] }\n  steps = 40\n" + outputs));
  ASSERT_TRUE(ran.results) << ran.errors;
  EXPECT_EQ(ran.value(0, 2), 0);
  EXPECT_EQ(ran.value(0, 3), 1);
  // Above the median there are 20 of 40.
  const std::string median = fmt::format("{:.9f}s", ran.value(0, 1));
  const Ran half = run(fileOf("  vary { pod.jitter.cv in [0.2] }\n  steps = 40\n  outputs = ["
                              "step_time.above[" +
                              median +
                              "], share]\n"
                              "  let share = 2 * step_time.above[" +
                              median + "]"));
  ASSERT_TRUE(half.results) << half.errors;
  EXPECT_NEAR(half.value(0, 0), 0.5, 0.026);
  EXPECT_EQ(half.value(0, 1), 2 * half.value(0, 0));
}

TEST(Study, TheBestIntervalOfDrawnRuns_IsOfAllSeeds) {
  const auto study = [](const char* seeds) {
    return withRun(fmt::format("  vary {{ pod.storage.write in [1GB/s, 4GB/s, 2GB/s, 0.5GB/s] }}\n"
                               "  draws = 100, seeds = {}\n"
                               "  outputs = [run[train].optimal_interval, "
                               "run[train].optimal_interval.drawn]",
                               seeds));
  };
  const Ran ran = run(study("1..6"), 1), again = run(study("1..6"), 3), one = run(study("[1]"), 3);
  ASSERT_TRUE(ran.results) << ran.errors;
  ASSERT_TRUE(one.results) << one.errors;
  for (std::size_t point = 0; point < 2; ++point) {
    EXPECT_NEAR(ran.value(point, 1) / ran.value(point, 0), 1, 0.35) << point;
    EXPECT_EQ(ran.value(point, 1), again.value(point, 1));
  }
  EXPECT_GT(ran.value(0, 1), ran.value(1, 1)); // what costs more is done less often
  bool differs = false; // one seed may by chance give the same result as all of them
  for (std::size_t point = 0; point < 4; ++point)
    differs |= one.value(point, 1) != ran.value(point, 1);
  EXPECT_TRUE(differs);
  EXPECT_THAT(run(study("1..6, target_half_width = 1pct")).errors,
              HasSubstr("`target_half_width`"));
}

TEST(Study, DrawnRuns_AreBesideWhatIsExpectedOfThem) {
  const std::string study =
      "  vary { train.checkpoint.interval in [100step, 400step] }\n"
      "  draws = 200, seeds = 1..3\n"
      "  outputs = [run[train].time, run[train].time.mean, "
      "run[train].goodput.p50, run[train].time.p50, run[train].productive_time]";
  const Ran ran = run(withRun(study), 1), again = run(withRun(study), 3);
  ASSERT_TRUE(ran.results) << ran.errors;
  for (std::size_t point = 0; point < 2; ++point) {
    const study::StudyPoint& at = ran.results->points[point];
    ASSERT_EQ(at.runs.size(), 1U);
    EXPECT_EQ(at.steps, 0U);
    EXPECT_EQ(at.runs[0].count, 600U);
    EXPECT_NEAR(ran.value(point, 1) / ran.value(point, 0), 1, 2 * *at.runs[0].halfWidth);
    EXPECT_NEAR(ran.value(point, 2), ran.value(point, 4) / ran.value(point, 3), 1e-3);
    EXPECT_EQ(ran.value(point, 1), again.value(point, 1));
  }
  const std::string screen = study::screen(*ran.results, 100);
  EXPECT_THAT(screen, HasSubstr("600 drawn runs a point, mean within"));
  EXPECT_EQ(study::json(*ran.results)["rows"][0]["runs"][0]["draws"], 600);
  const Ran until = run(withRun(study + "\n  target_half_width = 50pct"));
  EXPECT_EQ(until.results->points[0].runs[0].count, 200U);
  const Ran never = run(withRun(study + "\n  target_half_width = 0.001pct"));
  EXPECT_THAT(never.errors, HasSubstr("warning[DPL1111]"));
}

TEST(Study, WhatDataRanksShow_IsOfSingleDevices) {
  const std::string study =
      "  vary { plain.synchronization in [barrier, asynchronous] }\n  steps = 50\n"
      "  outputs = [simulated.waiting, simulated.staleness.mean]";
  std::string text = fileOf(study);
  text.replace(text.find("pipeline = 2, data = rest"), 25, "data = rest");
  const Ran ran = run(text);
  ASSERT_TRUE(ran.results) << ran.errors;
  EXPECT_GT(ran.value(0, 0), 0.05); // with a barrier all wait for the slowest of sixteen
  EXPECT_LT(ran.value(0, 0), 0.3);
  EXPECT_EQ(ran.value(1, 0), 0);
  EXPECT_TRUE(std::isnan(ran.value(0, 1)));
  EXPECT_NEAR(ran.value(1, 1), 15, 2);
  EXPECT_THAT(ran.errors, HasSubstr("`simulated.staleness.mean` has no value at 1 of 2 points"));
  const Ran stages = run(fileOf("  vary { pod.nodes in [2] }\n  outputs = [simulated.waiting]"));
  EXPECT_THAT(stages.errors, HasSubstr("`simulated.waiting` has no value at 1 of 1 points"));
}
