//===- RunLossesTest.cpp - What failures and checkpoints take of a run ------------------------===//
#include "simulate/diagnosis/Diagnosis.h"
#include "simulate/plan/RunSimulation.h"
#include "tests/unit/CompiledPlan.h"
#include <cmath>

using namespace dpl;
using namespace dpl::diagnosis;

namespace {
/// 100 devices that compute for a minute a step, and fail so.
ir::Plan trained(const std::string& failures, const std::string& checkpoint,
                 const std::string& steps = "20_000step",
                 const std::string& storage = "storage { write = 10GB/s }") {
  return test::completedPlan("run.dpl", fmt::format(R"(
import std.textbook
cluster farm from textbook.flat {{
  nodes = 100
  node.gpu.memory = 10TB
  nic {{ bandwidth = 1PB/s per nic, latency = 0us }}
  leaf {{ nodes = 25 }}
  failures {{ {} }}
  {}
}}
model work from layer_list {{
  layer[0] {{ name = "all", parameters = 60_000_000_000, time {{ forward = 20s, backward = 40s }} }}
}}
layout plain for work on farm {{
  mesh {{ data = rest }}
  batch = 100sample
  optimizer_time = 0s
  overlap.gradients = false
  shard {{ parameters = data, gradients = data, optimizer = data }}
}}
run train for plain {{
  phase[0] {{ steps = {} }}
  {}
}}
)",
                                                    failures, storage, steps, checkpoint));
}

Diagnosis diagnosed(const ir::Plan& plan) {
  simulation::SimulationRequest request;
  request.steps = 2;
  return diagnose(plan, request, {{}, [](const ir::Plan&) { return false; }});
}
} // namespace

TEST(RunLosses, EachKindOfFailure_CostsAsDrawnWhatItsFiguresSay) {
  const ir::Plan plan =
      trained("gpu = (1 / 2_000h) per gpu, nic = (1 / 10_000h) per nic, "
              "node = (1 / 4_000h) per node, link = (1 / 8_000h) per nic, "
              "leaf = (1 / 400h) per leaf, storage = 1 / 200h, "
              "fail_slow { rate = (1 / 20_000h) per gpu, slowdown = 1.5, detection = "
              "3h }, restart = 10min",
              "checkpoint { interval = 60step }");
  ASSERT_FALSE(testing::Test::HasFailure());
  const auto run = runLossesOf(plan, 1, 0);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->run, "train");
  EXPECT_EQ(run->losses.size(), 8U); // no node is away
  for (const RunLoss& loss : run->losses) {
    ASSERT_TRUE(loss.drawn && loss.halfWidth) << loss.key;
    EXPECT_GT(loss.inTheLongRun, 0) << loss.key;
    // Three standard errors, and half a percent of the time.
    EXPECT_NEAR(*loss.drawn, loss.inTheLongRun, 1.5 * *loss.halfWidth + 0.005) << loss.key;
  }
  EXPECT_STREQ(run->largest()->key, "gpu");
}

TEST(RunLosses, OfARunThatLosesMost_AreTheVerdict) {
  const Diagnosis failing = diagnosed(
      trained("gpu = (1 / 400h) per gpu, restart = 30min", "checkpoint { interval = 60step }"));
  EXPECT_TRUE(failing.failing);
  EXPECT_EQ(name(failing.kind()), "failure");
  EXPECT_STREQ(failing.run->largest()->key, "gpu");
  EXPECT_GT(failing.run->together.saved(), leastVerdict);
  const Diagnosis saving =
      diagnosed(trained("gpu = (1 / 50_000h) per gpu", "checkpoint { interval = 2step }"));
  EXPECT_TRUE(saving.failing);
  EXPECT_STREQ(saving.run->largest()->key, "checkpoints");
  const Diagnosis well =
      diagnosed(trained("gpu = (1 / 50_000h) per gpu", "checkpoint { interval = 120step }"));
  EXPECT_FALSE(well.failing);
  EXPECT_EQ(name(well.kind()), "compute");
  ASSERT_TRUE(well.run);
  EXPECT_LT(well.run->together.saved(), leastVerdict);
}

// In the long run each node that fails is away for 100 hours; this run ends after two.
TEST(RunLosses, OfARunThatIsShortBesideARepair_AreNoVerdict) {
  const Diagnosis shorter =
      diagnosed(trained("gpu = (1 / 50_000h) per gpu, restart = 5min, repair = 100h",
                        "checkpoint { interval = 60step }", "120step"));
  ASSERT_TRUE(shorter.run && shorter.run->together.drawn);
  EXPECT_GT(shorter.run->together.inTheLongRun, leastVerdict);
  EXPECT_FALSE(shorter.failing);
  EXPECT_EQ(name(shorter.kind()), "compute");
}

TEST(RunLosses, CheckpointsThatCostNothing_AreNone) {
  for (const char* storage : {"", "storage { write = 1PB/s }"}) {
    const ir::Plan plan =
        trained("gpu = (1 / 200h) per gpu, restart = 30min",
                "checkpoint { interval = 60step, mode = async }", "20_000step", storage);
    const auto run = runLossesOf(plan, 1, 0);
    ASSERT_TRUE(run);
    for (const RunLoss& loss : run->losses) {
      ASSERT_TRUE(loss.drawn && loss.halfWidth);
      EXPECT_NEAR(*loss.drawn, loss.inTheLongRun, 1.5 * *loss.halfWidth + 0.005) << loss.key;
      EXPECT_TRUE(llvm::StringRef(loss.key) != "checkpoints" || loss.inTheLongRun < 1e-6);
    }
    EXPECT_NEAR(*run->together.drawn, run->together.inTheLongRun,
                1.5 * *run->together.halfWidth + 0.005);
  }
}

// Four nodes' worth of failures and twice as many slow devices, each of which leaves the run
// waiting: by renewal a cycle has 11.35 h, of which 9.84 are worked, and 20 of repair.
TEST(RunLosses, WithSlowDevicesAndRepair_ARunTakesWhatItsFiguresSay) {
  for (const char* repair : {", repair = 20h", ""}) {
    const ir::Plan plan = trained(
        fmt::format("node = (1 / 2_500h) per node, restart = 0s{}, fail_slow {{ rate = (1 / "
                    "1_250h) per gpu, slowdown = 2.0, detection = 5h }}",
                    repair),
        "checkpoint { interval = 1step }", "60_000step", "storage { write = 1PB/s }");
    const std::optional<simulation::DrawnRun> run = simulation::drawnRun(plan, "train");
    ASSERT_TRUE(run);
    const simulation::RunResult drawn = simulation::drawRuns(plan, *run, nullptr, {60, 1, 0});
    double all = 0;
    for (const simulate::RunTime& one : drawn.draws)
      all += one.time / 60;
    EXPECT_NEAR(all / drawn.expected, 1, 0.015) << repair;
    if (*repair) {
      EXPECT_NEAR(drawn.expected / drawn.run.work, 31.355 / 9.844, 0.03);
    }
  }
}
