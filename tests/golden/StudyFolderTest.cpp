//===- StudyFolderTest.cpp - Studies that are killed, run twice at once, or find no room ------===//
#include "tests/golden/Runner.h"
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
using namespace dpl::test;

namespace {
constexpr const char* plan = R"(import std.models
import std.clusters

cluster pod from clusters.dgx_h100 {
  nodes = 1
  jitter = lognormal { cv = 0.1 }
  failures { gpu = (1 / 2_000h) per gpu, node = (1 / 2_000h) per node, leaf = (1 / 5_000h) per leaf, restart = 10min, repair = 1d }
  failures.fail_slow { rate = (1 / 5_000h) per gpu, slowdown = 1.5, detection = 3h }
  storage { write = 20GB/s }
}

layout plain for models.gpt2_small on pod {
  mesh { data = rest }
  batch = 64seq
}

run train for plain {
  phase[0] { tokens = 300_000Mtok }
  checkpoint { interval = 1000step }
  spare_nodes = 1
}

study scale for plain {
  vary { pod.nodes in [1, 2, 3, 4], pod.jitter.cv in steps(0..0.45, 0.05) }
  steps = 3
  let added = marginal(mfu.mean)
  let best = pareto(memory.peak, -mfu.mean)
  outputs = [step_time.p90, mfu.mean, memory.peak, added, best]
  plot { x = pod.nodes, y = mfu.mean, series = pod.jitter.cv }
}

study failures for train {
  vary { pod.nodes in [1, 2, 3, 4], train.checkpoint.interval in [500step, 1000step, 1500step, 2000step, 2500step, 3000step, 3500step, 4000step, 4500step, 5000step] }
  seeds = 1..2, draws = 10, target_half_width = 0.1pct
  outputs = [run[train].time.mean, run[train].goodput.p5, run[train].goodput]
  plot { x = train.checkpoint.interval, y = run[train].goodput.p5, series = pod.nodes }
}
)";
const std::vector<std::string> results = {"points.jsonl", "results.csv", "results.json",
                                          "plot.svg"};

/// Of a study of simulated steps, and of one of drawn runs that fail.
class StudyFolder : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override { spill(folder.path / "plan.dpl", plan); }
  /// By the shell, in the folder; its exit code.
  int shell(const std::string& command) const {
    const std::string all = fmt::format("cd '{}' && {}", folder.path.string(), command);
    return WEXITSTATUS(std::system(all.c_str())); // NOLINT(concurrency-mt-unsafe)
  }
  static std::string study(const std::string& more) {
    return fmt::format("{} study plan.dpl {} {} >/dev/null 2>said", DPL_DPLC, GetParam(), more);
  }
  std::string said() const { return slurp(folder.path / "said"); }
  void expectSame(const std::string& one, const std::string& other) const {
    for (const std::string& file : results)
      EXPECT_EQ(slurp(folder.path / one / file), slurp(folder.path / other / file)) << file;
  }
  TemporaryFolder folder;
};
INSTANTIATE_TEST_SUITE_P(Of, StudyFolder, testing::Values("scale", "failures"),
                         [](const auto& each) { return std::string(each.param); });
} // namespace

TEST_P(StudyFolder, KilledAtAnyMoment_GoesOnToTheSameBytes_Slow) {
  ASSERT_EQ(shell(study("-o whole")), 0) << said();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> seconds(0.005, 0.12);
  for (int kill = 0; kill < 50; ++kill) {
    if (exists(folder.path / "killed/plot.svg")) { // it came to its end: another one
      ASSERT_EQ(shell(study("-o killed")), 0) << said();
      expectSame("whole", "killed");
      remove_all(folder.path / "killed");
    }
    (void)shell(fmt::format("timeout -s KILL {} {}", seconds(random), study("-o killed")));
  }
  // What a kill leaves of a line is dropped.
  if (exists(folder.path / "killed/points.jsonl")) {
    ASSERT_EQ(shell("printf '{\"point\":3,\"val' >> killed/points.jsonl"), 0);
  }
  ASSERT_EQ(shell(study("-o killed")), 0) << said();
  expectSame("whole", "killed");
}

TEST_P(StudyFolder, ALineThatNobodyWrote_IsDroppedWithWhatFollows_Slow) {
  ASSERT_EQ(shell(study("-o whole")), 0) << said();
  for (const char* line :
       {"{}", "{\\\"point\\\":1}", "no JSON", "",
        "{\\\"point\\\":2,\\\"values\\\":[],\\\"steps\\\":0,\\\"half_width\\\":0,"
        "\\\"failed_assertions\\\":[]}",
        "{\\\"point\\\":40,\\\"values\\\":[1,1,1],\\\"steps\\\":0,\\\"half_width\\\":0,"
        "\\\"failed_assertions\\\":[]}"}) {
    ASSERT_EQ(shell(fmt::format(
                  "rm -rf edited && cp -r whole edited && sed -i \"9s/.*/{}/\" edited/points.jsonl",
                  line)),
              0);
    ASSERT_EQ(shell(study("-o edited")), 0) << said();
    expectSame("whole", "edited");
  }
}

TEST_P(StudyFolder, AChangedNumber_IsNoResult) {
  ASSERT_EQ(shell(study("-o whole")), 0) << said();
  for (const char* change : {"9s/\"values\":\\[/&1/", "9s/\"point\":[0-9]*/\"point\":30/",
                             "9s/\"sum\":\"./&0/", "9s/,\"sum\":\"[0-9a-f]*\"//"}) {
    ASSERT_EQ(shell(fmt::format("rm -rf edited && cp -r whole edited && sed -i '{}' "
                                "edited/points.jsonl && ! cmp -s whole/points.jsonl "
                                "edited/points.jsonl",
                                change)),
              0)
        << change;
    EXPECT_EQ(shell(study("-o merged --merge edited")), 1) << change;
    EXPECT_NE(said().find("DPL1106"), std::string::npos) << said();
    ASSERT_EQ(shell(study("-o edited")), 0) << said();
    expectSame("whole", "edited");
  }
}

TEST_P(StudyFolder, WithoutRoom_SaysSoAndGoesOnLater) {
  ASSERT_EQ(shell(study("-o whole")), 0) << said();
  // A file of at most 1024 bytes: the journal ends within a line.
  EXPECT_EQ(shell(fmt::format("ulimit -f 2; trap '' XFSZ; {}", study("-o full"))), 3);
  EXPECT_NE(said().find("DPL0720"), std::string::npos) << said();
  ASSERT_EQ(shell(study("-o full")), 0) << said();
  expectSame("whole", "full");
}

TEST_P(StudyFolder, TwoAtOnce_OneIsToldAndNothingIsLost) {
  ASSERT_EQ(shell(study("-o whole")), 0) << said();
  // The lock is held by another program.
  ASSERT_EQ(shell(study("-o shared --shard 1/2")), 0) << said();
  EXPECT_EQ(shell(fmt::format("flock shared/points.jsonl sh -c '{}'", study("-o shared"))), 1);
  EXPECT_NE(said().find("DPL1102"), std::string::npos) << said();
  ASSERT_EQ(shell(study("-o shared")), 0) << said();
  expectSame("whole", "shared");
}

TEST_P(StudyFolder, OfTwoStartedAtOnce_OneDoesAll_Slow) {
  ASSERT_EQ(shell(study("-o whole")), 0) << said();
  for (int round = 0; round < 5; ++round) {
    // Whoever comes second is told, or finds all done.
    ASSERT_EQ(shell("rm -rf both; mkdir both"), 0);
    EXPECT_EQ(
        shell(fmt::format("{{ {0} & one=$!; {0}; other=$?; wait $one; one=$?; "
                          "[ $one -le 1 ] && [ $other -le 1 ] && [ $((one * other)) = 0 ]; }}",
                          study("-o both"))),
        0);
    expectSame("whole", "both");
  }
}

TEST_P(StudyFolder, Shards_MergeToTheSameBytes) {
  ASSERT_EQ(shell(study("-o whole")), 0) << said();
  for (const char* shard : {"1", "2"})
    ASSERT_EQ(shell(study(fmt::format("-o part{0} --shard {0}/3", shard))), 0);
  EXPECT_EQ(shell(study("-o merged --merge part1 part2")), 1);
  EXPECT_NE(said().find("[DPL1106]: 13 of 40 points are in none of the folders"), std::string::npos)
      << said();
  ASSERT_EQ(shell(study("-o part3 --shard 3/3")), 0);
  ASSERT_EQ(shell(study("-o merged --merge part1 part2 part3")), 0) << said();
  expectSame("whole", "merged");
}

TEST_P(StudyFolder, OfSomethingElse_IsLeftAlone) {
  ASSERT_EQ(shell("mkdir notes && echo mine > notes/a"), 0);
  EXPECT_EQ(shell(study("-o notes")), 1);
  EXPECT_NE(said().find("DPL1101"), std::string::npos) << said();
  ASSERT_EQ(shell(study("-o scale --shard 1/20")), 0) << said();
  const std::string before = slurp(folder.path / "scale/points.jsonl");
  EXPECT_EQ(shell(study("-o scale --set plain.batch=128seq")), 1);
  EXPECT_NE(said().find("DPL1101"), std::string::npos) << said();
  EXPECT_EQ(slurp(folder.path / "scale/points.jsonl"), before);
}
