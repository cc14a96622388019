//===- StudiesOfConvergenceTest.cpp - examples/studies that take optimizer steps --------------===//
//
// The examples assert the numbers themselves. Here every study of them runs and holds, and the
// results are the same bytes whatever shares the work.
#include "tests/golden/StudyRows.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
using namespace dpl::test;

namespace {
struct NamedStudy {
  const char *file, *name;
  std::size_t points;
};
constexpr NamedStudy studies[] = {{"bounded_asynchrony", "cut_rate", 5},
                                  {"bounded_asynchrony", "kept_rate", 6},
                                  {"bounded_asynchrony", "rejecting", 4},
                                  {"gradient_compression", "without_feedback", 5},
                                  {"gradient_compression", "with_feedback", 5},
                                  {"gradient_compression", "lower_rate", 5},
                                  {"local_steps", "drifting", 2},
                                  {"local_steps", "periods", 9},
                                  {"local_steps", "by_phase", 4},
                                  {"staleness_weights", "constant", 6},
                                  {"staleness_weights", "constant_weighted", 12},
                                  {"staleness_weights", "random", 4},
                                  {"staleness_weights", "random_unweighted", 1},
                                  {"batch_and_rate", "linear_rule", 9},
                                  {"batch_and_rate", "square_root_rule", 9},
                                  {"consistency_models", "local_by_ratio", 6},
                                  {"consistency_models", "overlapped_by_ratio", 3},
                                  {"consistency_models", "to_goal", 3},
                                  {"momentum", "sum", 3},
                                  {"momentum", "average", 3},
                                  {"loss_scale", "scales", 8},
                                  {"loss_scale", "skips", 1},
                                  {"sum_orders", "cancellation", 2},
                                  {"sum_orders", "orders", 3},
                                  {"sum_orders", "chunks", 8}};
} // namespace

TEST(StudiesOfConvergence, AssertTheirReferenceTables) {
  for (const NamedStudy& study : studies) {
    const Rows rows(std::string("studies/") + study.file, study.name); // fails where one is broken
    EXPECT_EQ(rows.size(), study.points) << study.file << " " << study.name;
    for (std::size_t row = 0; row < rows.size(); ++row)
      EXPECT_EQ(rows.refused(row), "") << study.file << " " << study.name;
  }
}

// 8 workers have a staleness of 7 on average, whatever their speeds; more is allowed and changes
// nothing, because all variants meet the same draws.
TEST(StudiesOfConvergence, BoundsThatNobodyReaches_ChangeNothing) {
  const Rows rows("studies/bounded_asynchrony", "rejecting");
  ASSERT_EQ(rows.size(), 4U);
  for (const char* output : {"run[live].updates.mean", "run[live].time.mean"})
    EXPECT_EQ(rows.value(2, output), rows.value(3, output)) << output;
  EXPECT_NEAR(rows.value(3, "run[live].staleness.mean"), 7, 0.02);
  const double updates[] = {7238, 7207, 7185, 7185}, seconds[] = {6550, 1290, 899, 899},
               rejected[] = {45100, 3090, 0, 0};
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_NEAR(rows.value(row, "run[live].updates.mean") / updates[row], 1, 0.02) << row;
    EXPECT_NEAR(rows.value(row, "run[live].time.mean") / seconds[row], 1, 0.02) << row;
    EXPECT_NEAR(rows.value(row, "run[live].rejected.mean"), rejected[row], 0.02 * rejected[row])
        << row;
  }
  const double gain = rows.value(0, "run[live].time.mean") / rows.value(2, "run[live].time.mean");
  EXPECT_GT(gain, 7.0);
  EXPECT_LT(gain, 7.6);
}

TEST(StudiesOfConvergence, Threads_ShardsAndInterruptions_ChangeNoByte) {
  const TemporaryFolder folder;
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{
        "study", (sourceFolder() / "examples/studies/bounded_asynchrony.dpl").string(),
        "rejecting"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return dplc(arguments, folder.path);
  };
  ASSERT_EQ(run({"--jobs", "1", "-o", "one"}).exitCode, 0);
  ASSERT_EQ(run({"--jobs", "8", "-o", "eight"}).exitCode, 0);
  std::vector<std::string> merge{"-o", "merged", "--merge"};
  for (int shard = 1; shard <= 4; ++shard) {
    const std::string part = fmt::format("part{}", shard);
    (void)run({"-o", part, "--shard", fmt::format("{}/4", shard)});
    merge.push_back(part);
  }
  ASSERT_EQ(run(merge).exitCode, 0);
  // Killed in the middle of a line: the first point is kept, the others run again.
  const std::string points = slurp(folder.path / "one/points.jsonl");
  const std::size_t second = points.find('\n', points.find('\n') + 1);
  fs::create_directory(folder.path / "resumed");
  spill(folder.path / "resumed/points.jsonl", points.substr(0, second + 20));
  ASSERT_EQ(run({"-o", "resumed"}).exitCode, 0);
  for (const char* file : {"results.csv", "results.json"})
    for (const char* other : {"eight", "merged", "resumed"})
      EXPECT_EQ(slurp(folder.path / "one" / file), slurp(folder.path / other / file)) << other;
}

namespace {
constexpr const char* head = R"(import std.textbook
layout plain for textbook.buffer on textbook.flat {
  mesh { data = rest }
  batch = 2sample
  optimizer = sgd { momentum = 0.0, lr = constant { value = 0.1 } }
}
)";
} // namespace

// 448 + 448 is not a number of e4m3, which has no infinity.
TEST(StudiesOfConvergence, ASumBeyondItsFormat_HasAReason) {
  const TemporaryFolder folder;
  spill(folder.path / "sum.dpl", std::string(head) + R"(
numbers large { values = listed { items = [448, 448] }, format = e4m3 }
run add for plain { phase[0] { problem = large } }
study sums for add { vary { large.order in [left_to_right, right_to_left] }, outputs = [run[add].sum] }
)");
  const auto run = dplc({"study", "sum.dpl", "sums"}, folder.path);
  EXPECT_NE((run.out + run.error).find("a partial sum is above the largest number of `e4m3`"),
            std::string::npos)
      << run.out << run.error;
}

// The expected loss is followed exactly, so that all seeds have one descent.
TEST(StudiesOfConvergence, SeedsOfAnExactDescent_TakeNoTime) {
  const TemporaryFolder folder;
  spill(folder.path / "seeds.dpl", std::string(head) + R"(
quadratic bowl { curvature = log_spaced { count = 100, condition = 100 }, noise = 0.001, goal = loss { share = 0.1 } }
run train for plain { phase[0] { problem = bowl } }
study many for train {
  vary { bowl.goal.share in [0.1, 0.2] }
  seeds = 1..200_000
  outputs = [run[train].updates.mean]
}
)");
  const auto run = dplc({"study", "seeds.dpl", "many"}, folder.path);
  EXPECT_EQ(run.exitCode, 0) << run.error;
}
