//===- LaunchScriptTest.cpp - What launch.sh says that it does not do -------------------------===//
#include "backends/LaunchScript.h"
#include "MegatronPlans.h"
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::test;
using testing::HasSubstr;
using testing::Not;

namespace {

/// A plan whose launch is started again twice and saves every 100 steps, keeping three.
ir::Plan started() {
  ir::Plan plan = planOf({});
  ir::Run& run = plan.runs.emplace_back();
  run.name = "train";
  run.checkpoint.every = 100, run.checkpoint.keep = 3;
  ir::Launch& launch = plan.launches.emplace_back();
  launch.run = "train", launch.via = ir::ViaKind::Slurm;
  launch.checkpoints = "/saved", launch.restarts = 2;
  return plan;
}

std::string scriptOf(const ir::Plan& plan, std::vector<std::string> beside) {
  const TargetRequest request{*targetNamed("megatron"), plan, Release("0.19"), std::move(beside)};
  return LaunchScript(request).render("{differences}");
}

TEST(LaunchScript, WhatALauncherHandsOn_IsSaidWhereThereIsNone) {
  EXPECT_THAT(
      scriptOf(started(), {}),
      HasSubstr("as `dplc emit megatron slurm ...` does: checkpoint_dir, max_restarts of the"));
  EXPECT_THAT(scriptOf(started(), {"slurm"}), Not(HasSubstr("Left to a launcher")));
}
TEST(LaunchScript, WhatAFrameworkDoesByItself_IsSaidWhereALayoutSaysIt) {
  ir::Plan plan = planOf({});
  EXPECT_EQ(scriptOf(plan, {}), "");
  plan.layout.ranges["buffers"] = {};
  plan.layout.setsUpdateTime = true;
  EXPECT_THAT(scriptOf(plan, {}),
              HasSubstr("# Of the prediction alone: `buffers`, `optimizer_time`,"));
}
TEST(LaunchScript, CheckpointsThatStayOrAreWrittenOtherwise_AreSaid) {
  ir::Plan plan = started();
  EXPECT_THAT(checkpointDifferences(plan, false, true),
              testing::ElementsAre("all checkpoints stay, not the newest 3"));
  EXPECT_TRUE(checkpointDifferences(plan, true, true).empty());
  plan.runs[0].checkpoint.mode = ir::CheckpointMode::Async;
  EXPECT_THAT(checkpointDifferences(plan, true, false),
              testing::ElementsAre("training waits while checkpoints are written"));
  plan.runs[0].checkpoint.mode = ir::CheckpointMode::Tiers;
  EXPECT_THAT(checkpointDifferences(plan, true, true),
              testing::ElementsAre(HasSubstr("go to storage while training waits, `multi_level`")));
}

} // namespace
