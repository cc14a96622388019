//===- SearchRunTest.cpp - What a search compiles, and how it ends --------------------------===//
#include "driver/search/CandidateRunner.h"
#include "planner/search/LayoutSearch.h"
#include "tests/unit/CompiledPlan.h"
#include <gtest/gtest.h>
#include <limits>
using namespace dpl;
using planner::CandidateFate;

namespace {
constexpr const char* text = R"(import std.models
import std.clusters
cluster pod from clusters.dgx_h100 { nodes = 2 }
layout plain for models.gpt2_small on pod {
  batch = 64seq
  mesh { data = rest, tensor = 4 within node }
  micro_batch = 1seq
  shard { optimizer = data }
}
search layout best from plain {
  micro_batch in [1seq, 2seq, 4seq]
  keep = 2
  minimize step_time
}
)";
} // namespace

TEST(SearchRun, ARankedLayout_IsCompiledOnce) {
  Workspace workspace;
  DiagnosticEngine diags;
  workspace.overlay("plan.dpl", text);
  const auto unit = workspace.compile("plan.dpl", diags);
  ASSERT_FALSE(unit->file.failed());
  ASSERT_EQ(unit->file->searched.size(), 1U);
  const ir::Space space = *unit->file->searched.front().search();
  const search::SearchRequest request{"plan.dpl", "best", false, text, {}, {}, {}};
  search::CandidateRunner runner(request, space, 1);
  std::vector<std::pair<double, std::uint64_t>> steps;
  for (std::uint64_t candidate = 0; candidate < 3; ++candidate) {
    const planner::JudgedCandidate judged = runner.judge(candidate, 0);
    ASSERT_EQ(judged.fate, CandidateFate::Ranked) << judged.rule;
    steps.emplace_back(judged.objectives.front(), candidate);
  }
  EXPECT_EQ(runner.compilations(), 3U);
  std::sort(steps.begin(), steps.end());
  // The two best are kept; the third is compiled again.
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const auto plan = runner.planOf(steps[rank].second).plan;
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->layout.microBatch, std::uint64_t{1} << steps[rank].second);
    EXPECT_FALSE(plan->schedule.empty());
    EXPECT_EQ(runner.compilations(), rank < 2 ? 3U : 4U);
  }
}

TEST(SearchRun, StoppedWhileItScreens_BoundsNothingMore) {
  const ir::Plan plan = test::completedPlan(
      "plan.dpl", std::string(text).substr(0, std::string(text).find("search")));
  for (const bool stopped : {false, true}) {
    planner::LayoutSearch search({});
    planner::LayoutConditions conditions;
    conditions.stop = [&] { return stopped; };
    search.setConditions(conditions);
    search.add(0, plan, "");
    search.screen([](const auto&) { FAIL() << "no candidate is illegal"; });
    EXPECT_EQ(search.leastStep() == std::numeric_limits<double>::infinity(), stopped);
  }
}

TEST(SearchRun, StoppedBetweenTwoLayouts_ExecutesNothingMore) {
  const ir::Plan plan = test::completedPlan(
      "plan.dpl", std::string(text).substr(0, std::string(text).find("search")));
  constexpr double noLimit = std::numeric_limits<double>::infinity();
  const auto exclude = [](const auto&) { FAIL() << "no candidate is excluded"; };
  for (const bool stops : {false, true}) {
    bool stopped = false;
    planner::LayoutSearch search({});
    planner::LayoutConditions conditions;
    conditions.stop = [&] { return stopped; };
    search.setConditions(conditions);
    search.add(0, plan, "");
    search.screen(exclude);
    stopped = stops;
    EXPECT_EQ(search.next(noLimit, exclude).has_value(), !stops);
    EXPECT_EQ(search.leastStep() < noLimit, stops) << "a layout that was not executed stays";
  }
}
