//===- RunsTest.cpp - How long a run takes whose phases differ --------------------------------===//
#include "cost/run/Availability.h"
#include "simulate/plan/BestInterval.h"
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/ValueOf.h"
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using test::valueOf;

namespace {
ir::Plan plan(const std::string& batch, const std::string& phases) {
  return test::completedPlan("runs.dpl", fmt::format(R"(import std.models
import std.clusters
cluster pod from clusters.dgx_h100 {{
  nodes = 4
  failures {{ gpu = (1 / 1_000h) per gpu, nic = (1 / 2_000h) per nic, node = (1 / 500h) per node }}
}}
layout plain for models.llama3_8b on pod {{
  mesh {{ data = rest, tensor = 4 within node }}
  batch = {}seq
  shard {{ optimizer = data }}
}}
run train for plain {{ {} }}
)",
                                                     batch, phases));
}
} // namespace

// As many seconds as the layout takes for one of them, with each batch.
TEST(Runs, APhaseWithAnotherBatch_TakesTheStepsOfThatBatch) {
  const ir::Plan both = plan("256", "phase[0] { steps = 1000step, batch = 64seq }\n"
                                    "phase[1] { steps = 500step }");
  const double small = valueOf(plan("64", "phase[0] { steps = 1step }"), "step_time"),
               large = valueOf(plan("256", "phase[0] { steps = 1step }"), "step_time");
  EXPECT_LT(small, large);
  EXPECT_NEAR(valueOf(both, "run[train].productive_time"), 1000 * small + 500 * large, 1e-6);
  EXPECT_EQ(valueOf(both, "run[train].steps"), 1500);
}

// 32 devices; what a step takes of energy, as often as steps go into the time.
TEST(Runs, DeviceTimeAndEnergy_AreThoseOfTheWholeTime) {
  const ir::Plan found = plan("256", "phase[0] { steps = 1000step }");
  const double time = valueOf(found, "run[train].time");
  EXPECT_DOUBLE_EQ(valueOf(found, "run[train].device_time"), 32 * time);
  EXPECT_NEAR(valueOf(found, "run[train].energy"),
              valueOf(found, "energy.per_step") * time / valueOf(found, "step_time"), 1);
  EXPECT_GT(valueOf(found, "run[train].energy"), 32 * 60.0 * time) << "60 W is less than idle";
}

// 32 devices, 32 ports and 4 nodes: 32/1000 + 32/2000 + 4/500 failures an hour.
TEST(Runs, RatesOfAllThatRunAddUp) {
  EXPECT_NEAR(valueOf(plan("256", "phase[0] { steps = 1step }"), "failures.mtbf"),
              3600 / (0.032 + 0.016 + 0.008), 1e-6);
}

// Tokens over the tokens of a step, rounded up.
TEST(Runs, TokensAreStepsOfTheBatch) {
  EXPECT_EQ(valueOf(plan("256", "phase[0] { tokens = 1Gtok }"), "run[train].steps"),
            std::ceil(1e9 / (256 * 8192)));
}

// A replica has 16 devices, two nodes: 16 replicas of 32 nodes. 9 to 15 of them do not divide 512
// sequences, and odd numbers of nodes have half a replica.
TEST(Runs, FewerNodes_AreThoseOnWhichTheLayoutIsLegal) {
  const auto working = [](const char* batch, const char* settings) {
    const ir::Plan found = test::completedPlan("fewer.dpl", fmt::format(R"(import std.models
import std.clusters
cluster pod from clusters.dgx_h100 {{
  nodes = 32
  failures {{ node = (1 / 500h) per node, repair = 1d }}
}}
layout plain for models.llama3_8b on pod {{
  mesh {{ data = rest, pipeline = 2, tensor = 8 within node }}
  batch = {}seq
}}
run train for plain {{ phase[0] {{ steps = 100step }}, {} }}
)",
                                                                        batch, settings));
    return cost::workingNodesOf(found, found.runs.front());
  };
  const simulate::WorkingNodes half = working("512", "min_nodes = 3");
  EXPECT_EQ(half.of(32), 32);
  EXPECT_EQ(half.of(31), 16);
  EXPECT_EQ(half.of(15), 8);
  EXPECT_EQ(half.of(7), 4);
  EXPECT_EQ(half.of(3), 0); // 2 nodes are too few
  // 15 replicas divide 240 sequences, and 14 divide 112.
  EXPECT_EQ(working("240", "min_nodes = 1").of(31), 30);
  EXPECT_EQ(working("112", "min_nodes = 1").of(31), 28);
  EXPECT_EQ(working("512", "spare_nodes = 0").of(31), 0);
}

namespace {
/// A run with a checkpoint of 16 s every step, and a failure an hour.
ir::Plan saving(const std::string& steps) {
  return test::completedPlan("saving.dpl", fmt::format(R"(import std.models
import std.clusters
cluster pod from clusters.dgx_h100 {{
  nodes = 4
  failures {{ storage = 1 / 1h, restart = 1min }}
  storage {{ write = 7GB/s, read = 7GB/s }}
}}
layout plain for models.llama3_8b on pod {{
  mesh {{ data = rest, tensor = 4 within node }}
  batch = 256seq
  shard {{ optimizer = data }}
}}
run train for plain {{
  phase[0] {{ steps = {}step }}
  checkpoint {{ interval = 20step }}
}}
)",
                                                       steps));
}

simulation::IntervalSearch searched(const ir::Plan& plan, std::uint64_t draws) {
  const auto drawn = simulation::drawnRun(plan, "train");
  const std::uint64_t seed = 1;
  return simulation::bestInterval(plan, *drawn, {draws, seed, 2}, seed);
}
} // namespace

TEST(Runs, TheBestInterval_LiesBetweenThoseThatAreWorse) {
  const simulation::IntervalSearch few = searched(saving("2_000"), 100);
  ASSERT_TRUE(few.best);
  EXPECT_EQ(few.best->draws, 100U);
  // The expected one is as good as any other within what a hundred runs tell.
  EXPECT_LT(few.best->least, few.best->drawn);
  EXPECT_GT(few.best->most, few.best->drawn);
  EXPECT_LE(few.best->least, few.best->expected * 1.06);
  EXPECT_GE(few.best->most, few.best->expected / 1.06);
  // One run tells nothing, so that every interval may be the best.
  const simulation::IntervalSearch one = searched(saving("2_000"), 1);
  ASSERT_TRUE(one.best);
  EXPECT_NEAR(one.best->most / one.best->least, 16, 0.01);
}

// Long runs have fewer draws for each interval, in place of no best interval.
TEST(Runs, TheBestIntervalOfLongRuns_IsFromFewerDraws_Slow) {
  const simulation::IntervalSearch shorter = searched(saving("1_500_000"), 1000);
  ASSERT_TRUE(shorter.best) << shorter.whyNot;
  EXPECT_LT(shorter.best->draws, 200U);
  EXPECT_NEAR(shorter.best->drawn / shorter.best->expected, 1, 0.2);
  const simulation::IntervalSearch none = searched(saving("900_000_000"), 1000);
  EXPECT_FALSE(none.best);
  EXPECT_NE(none.whyNot, "");
}
