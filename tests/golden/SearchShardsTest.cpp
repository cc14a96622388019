//===- SearchShardsTest.cpp - Searches that several processes divide --------------------------===//
#include "tests/golden/Runner.h"
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
using namespace dpl::test;

namespace {
constexpr const char* plan = R"(import std.models
import std.clusters

model llm from models.gpt2_small
cluster node from clusters.dgx_h100 { nodes = 1 }

search layout best for llm on node {
  batch = 64seq
  mesh { pipeline in [1, 2], data = rest, tensor in [1, 2, 3] within domain }
  micro_batch in [1seq, 2seq]
  recompute in [none, full]
  require memory.peak <= 20GiB
  minimize step_time
  keep = 2
}

search layout nothing from best {
  require memory.peak <= 1GiB
}
)";

class SearchShards : public testing::Test {
protected:
  void SetUp() override { spill(folder.path / "plan.dpl", plan); }
  /// By the shell, in the folder; its exit code.
  int shell(const std::string& command) const {
    const std::string all = fmt::format("cd '{}' || exit\n{}", folder.path.string(), command);
    return WEXITSTATUS(std::system(all.c_str())); // NOLINT(concurrency-mt-unsafe)
  }
  int search(const std::string& more) const {
    return shell(fmt::format("{} search plan.dpl {}", DPL_DPLC, more));
  }
  void searchShards(const std::string& name, unsigned shards) const {
    for (unsigned shard = 1; shard <= shards; ++shard)
      ASSERT_EQ(search(fmt::format("{} --shard {}/{} -o parts >/dev/null", name, shard, shards)),
                0);
  }
  std::string text(const std::string& file) const { return slurp(folder.path / file); }
  TemporaryFolder folder;
};
} // namespace

TEST_F(SearchShards, Merged_HaveTheBytesOfOneProcess) {
  searchShards("best", 3);
  for (const char* form : {"", "--json", "--csv"}) {
    ASSERT_EQ(search(fmt::format("best {} >one", form)), 0);
    ASSERT_EQ(search(fmt::format("best {} --merge parts >merged", form)), 0);
    EXPECT_EQ(text("merged"), text("one"));
  }
}

TEST_F(SearchShards, WithoutALayout_HaveTheErrorOfOneProcess) {
  searchShards("nothing", 3);
  EXPECT_EQ(search("nothing >one 2>said"), 1);
  EXPECT_EQ(search("nothing --merge parts >merged 2>merged_said"), 1);
  EXPECT_EQ(text("merged"), text("one"));
  EXPECT_EQ(text("merged_said"), text("said"));
}

TEST_F(SearchShards, TasksOfALauncher_PrintOneResult) {
  ASSERT_EQ(search("best >one"), 0);
  for (const auto& [rank, size] : {std::pair("SLURM_PROCID", "SLURM_NTASKS"),
                                   {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                   {"PMI_RANK", "PMI_SIZE"}}) {
    std::string tasks;
    for (int task = 0; task < 3; ++task)
      tasks += fmt::format("{}={} {}=3 {} search plan.dpl best -o {} >{}{} & ", rank, task, size,
                           DPL_DPLC, rank, rank, task);
    ASSERT_EQ(shell(tasks + "wait"), 0);
    EXPECT_EQ(text(fmt::format("{}0", rank)), text("one"));
    EXPECT_EQ(text(fmt::format("{}1", rank)) + text(fmt::format("{}2", rank)), "");
  }
}

TEST_F(SearchShards, MissingTask_IsNamedAndSearchedLater) {
  const auto task = [&](int rank, const char* out) {
    return shell(fmt::format("PMI_RANK={} PMI_SIZE=3 {} search plan.dpl best -o parts --wait 0 >{} "
                             "2>said",
                             rank, DPL_DPLC, out));
  };
  EXPECT_EQ(task(2, "third"), 0);
  EXPECT_EQ(task(0, "first"), 1);
  EXPECT_NE(text("said").find("error[DPL1212]: `parts` lacks shards 2 of 3 of search `best`"),
            std::string::npos)
      << text("said");
  // A part that is there is not searched again.
  const fs::file_time_type before = fs::last_write_time(folder.path / "parts/shard-3-of-3.json");
  EXPECT_EQ(task(1, "second") + task(2, "third"), 0);
  EXPECT_EQ(fs::last_write_time(folder.path / "parts/shard-3-of-3.json"), before);
  EXPECT_EQ(task(0, "first"), 0);
  ASSERT_EQ(search("best >one"), 0);
  EXPECT_EQ(text("first"), text("one"));
}

TEST_F(SearchShards, MissingOrDamaged_AreErrors) {
  searchShards("best", 3);
  fs::remove(folder.path / "parts/shard-2-of-3.json");
  EXPECT_EQ(search("best --merge parts 2>said"), 1);
  EXPECT_NE(text("said").find("error[DPL1210]: 2 of 3 shards of search `best`"), std::string::npos);
  EXPECT_NE(text("said").find("help: missing: 2; `--shard 2/3 -o DIR`"), std::string::npos);
  std::string part = text("parts/shard-1-of-3.json");
  char& digit = part[part.find("\"executed\":[[") + 13];
  digit = digit == '9' ? '8' : '9';
  spill(folder.path / "parts/shard-1-of-3.json", part);
  EXPECT_EQ(search("best --merge parts 2>said"), 1);
  EXPECT_NE(text("said").find("error[DPL1209]: `parts/shard-1-of-3.json` is not a shard"),
            std::string::npos);
  // Another number of layouts is another search.
  searchShards("best", 3);
  EXPECT_EQ(search("best --top 3 --merge parts 2>said"), 1);
  EXPECT_NE(text("said").find("error[DPL1209]"), std::string::npos);
}
