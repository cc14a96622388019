//===- EmitTest.cpp - dplc emit --list and --diff, and the pages of rules ---------------------===//
#include "support/Json.h"
#include "tests/golden/Runner.h"
#include <gtest/gtest.h>
using namespace dpl::test;

namespace {
constexpr const char* plan = "examples/llama3_70b_h100.dpl";

class Emit : public testing::Test {
protected:
  Outcome emit(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"emit", "megatron", plan, "-o", (folder.path / "out").string()});
    return dplc(more);
  }
  TemporaryFolder folder;
};
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
} // namespace

TEST_F(Emit, ListNamesTargetsAndTheirReleases) {
  const Outcome list = dplc({"emit", "--list"});
  EXPECT_EQ(list.exitCode, 0);
  EXPECT_TRUE(has(list.out, " 0.19\n")) << list.out;
  EXPECT_EQ(list.out.rfind("megatron ", 0), 0U) << list.out;
}

TEST_F(Emit, DiffOfAnAbsentFolder_AddsEveryLine) {
  const Outcome all = emit({"--diff"});
  EXPECT_EQ(all.exitCode, 1);
  EXPECT_EQ(all.out.rfind("--- /dev/null\n+++ ", 0), 0U) << all.out.substr(0, 80);
  EXPECT_FALSE(fs::exists(folder.path / "out"));
}
TEST_F(Emit, DiffOfTheSamePlan_IsEmpty) {
  ASSERT_EQ(emit().exitCode, 0);
  const Outcome same = emit({"--diff"});
  EXPECT_EQ(same.exitCode, 0) << same.error;
  EXPECT_EQ(same.out, "");
}
TEST_F(Emit, DiffOfAnotherBatch_ShowsItAndWritesNothing) {
  ASSERT_EQ(emit().exitCode, 0);
  const std::string before = slurp(folder.path / "out/arguments.txt");
  const Outcome other = emit({"--diff", "--set", "dense3d.batch=8Mitok"});
  EXPECT_EQ(other.exitCode, 1);
  EXPECT_TRUE(has(other.out, "\n-512\n+1024\n")) << other.out;
  EXPECT_EQ(slurp(folder.path / "out/arguments.txt"), before);
}
TEST_F(Emit, DiffLeavesOutHunksWithNothingButTheHashOfThePlan) {
  ASSERT_EQ(emit().exitCode, 0);
  const Outcome price = emit({"--diff", "--set", "pod.price=3usd/h per gpu"});
  EXPECT_EQ(price.exitCode, 0) << price.error;
  EXPECT_EQ(price.out, "");
  EXPECT_FALSE(has(emit({"--diff", "--set", "dense3d.batch=8Mitok"}).out, "launch.sh"));
}
TEST_F(Emit, DiffAsJson_HasTheTextAndTheFiles) {
  ASSERT_EQ(emit().exitCode, 0);
  const std::vector<std::string> set{"--diff", "--set", "dense3d.batch=8Mitok"};
  std::vector<std::string> json = set;
  json.emplace_back("--json");
  const Outcome text = emit(set), object = emit(json);
  EXPECT_EQ(object.exitCode, 1) << object.error;
  const dpl::Json differences = dpl::Json::parse(object.out);
  EXPECT_EQ(differences["differences"].str(), text.out);
  EXPECT_TRUE(differences["files"][0]["content"].is_null());
}
TEST_F(Emit, DiffNeedsAFolder) {
  EXPECT_EQ(dplc({"emit", "megatron", plan, "--diff"}).exitCode, 2);
}

TEST_F(Emit, ATargetNamedTwice_IsRefused) {
  const Outcome twice = dplc({"emit", "megatron", "megatron@0.19", plan, "--dry-run"});
  EXPECT_EQ(twice.exitCode, 2);
  EXPECT_TRUE(has(twice.error, "named twice")) << twice.error;
}
TEST_F(Emit, WithoutATarget_SaysWhatIsNeeded) {
  const Outcome none = dplc({"emit", plan, "--dry-run"});
  EXPECT_EQ(none.exitCode, 2);
  EXPECT_TRUE(has(none.error, "emit needs a target and a file")) << none.error;
}

TEST_F(Emit, AnArrayJobOfAFileOfSeveralLines_RunsDplcAlone) {
  const std::string file = "line\ntouch owned\n.dpl";
  fs::copy_file(sourceFolder() / "tests/golden/cli/emit_study.dpl", folder.path / file);
  const Outcome made =
      dplc({"emit", "slurm", file, "--study", "scale", "--array", "2", "-o", "job"}, folder.path);
  ASSERT_EQ(made.exitCode, 0) << made.error;
  // What dplc would be called with.
  spill(folder.path / "say", "#!/bin/sh\nprintf '<%s>' \"$@\"\n");
  fs::permissions(folder.path / "say", fs::perms::owner_all);
  for (const std::string script : {"array.sbatch", "merge.sbatch"}) {
    const std::string run = "cd '" + folder.path.string() +
                            "' && SLURM_SUBMIT_DIR=$PWD SLURM_ARRAY_TASK_ID=1 DPLC=$PWD/say "
                            "bash job/" +
                            script + " >said";
    EXPECT_EQ(std::system(run.c_str()), 0);
    EXPECT_TRUE(has(slurp(folder.path / "said"), "<study><" + file + "><scale>")) << script;
  }
  EXPECT_FALSE(fs::exists(folder.path / "owned"));
  const std::string submit = slurp(folder.path / "job/submit.sh");
  EXPECT_TRUE(has(submit, " of line?touch owned?.dpl in ")) << submit;
}

TEST(ExplainRule, ByCodeAndByName_IsOnePage) {
  const Outcome code = dplc({"explain", "megatron.M9"});
  EXPECT_EQ(code.exitCode, 0);
  EXPECT_TRUE(has(code.out, "ValueError when it makes its configuration")) << code.out;
  EXPECT_EQ(code.out, dplc({"explain", "megatron.kv-heads-by-tensor"}).out);
}
TEST(ExplainRule, OfATarget_IsTheList) {
  EXPECT_TRUE(has(dplc({"explain", "megatron"}).out, "kv-heads-by-tensor\n"));
}
TEST(ExplainRule, UnknownRule_IsAnError) {
  EXPECT_EQ(dplc({"explain", "megatron.M999"}).exitCode, 2);
}

TEST(CheckTarget, SaysWhetherTheTargetTakesThePlan) {
  const Outcome taken = dplc({"check", plan, "--target=megatron"});
  EXPECT_EQ(taken.exitCode, 0) << taken.error;
  EXPECT_TRUE(has(taken.out, "Megatron-LM 0.19 takes this plan\n")) << taken.out;
  const Outcome refused = dplc({"check", "examples/resnet50_a100.dpl", "--target=megatron"});
  EXPECT_EQ(refused.exitCode, 1);
  EXPECT_TRUE(has(refused.out, "Megatron-LM 0.19 refuses this plan\n")) << refused.out;
}
TEST(CheckTarget, JsonHasTheVerdicts) {
  const Outcome json = dplc({"check", plan, "--target=megatron", "--json"});
  EXPECT_TRUE(has(json.out, "\"accepted\": true")) << json.out.substr(0, 200);
}

namespace {
/// A target, the layout of tests/bench/targets.dpl that it runs, and for a launcher its launch.
struct Scaled {
  const char *target, *layout, *launch;
  friend std::ostream& operator<<(std::ostream& out, const Scaled& p) { return out << p.target; }
};
class FilesOfALargeCluster : public testing::TestWithParam<Scaled> {};

std::vector<std::string> commandOf(const Scaled& p, const fs::path& out) {
  std::vector<std::string> command{"emit", p.target};
  if (*p.launch)
    command.insert(command.end(), {"megatron", "--launch", p.launch});
  command.insert(command.end(),
                 {"tests/bench/targets.dpl", "--layout", p.layout, "-o", out.string()});
  return command;
}
} // namespace

TEST_P(FilesOfALargeCluster, AreAsLongAsThoseOfASmallOne) {
  const TemporaryFolder folder;
  const fs::path small = folder.path / "small", large = folder.path / "large";
  ASSERT_EQ(dplc(commandOf(GetParam(), small)).exitCode, 0);
  // 102,400 devices in place of 512.
  std::vector<std::string> command = commandOf(GetParam(), large);
  for (const char* setting :
       {"example.pod.nodes=12800", "example.dense3d.mesh.data=1600",
        "example.dense3d.batch=800Mitok", "sharded.mesh.data=102400", "sharded.batch=800Mitok",
        "two_axes.mesh.data=12800", "two_axes.batch=800Mitok"})
    command.insert(command.end(), {"--set", setting});
  const Outcome outcome = dplc(command);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(large))
    // The format of DeepSpeed's hostfile has a line for every node.
    if (file.is_regular_file() && file.path().filename() != "hostfile") {
      const fs::path path = file.path().lexically_relative(large);
      EXPECT_LE(file.file_size(), 1.05 * fs::file_size(small / path)) << path;
    }
}
INSTANTIATE_TEST_SUITE_P(
    Targets, FilesOfALargeCluster,
    testing::Values(Scaled{"megatron", "dense3d", ""}, Scaled{"pytorch", "dense3d", ""},
                    Scaled{"nccl", "dense3d", ""}, Scaled{"mpi", "dense3d", ""},
                    Scaled{"deepspeed", "sharded", ""}, Scaled{"accelerate", "sharded", ""},
                    Scaled{"torchtitan", "two_axes", ""}, Scaled{"torchrun", "dense3d", "on_nodes"},
                    Scaled{"slurm", "dense3d", "on_slurm"}, Scaled{"mpirun", "dense3d", "on_hosts"},
                    Scaled{"kubernetes", "dense3d", "on_pods"}),
    [](const auto& info) { return info.param.target; });
