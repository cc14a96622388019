//===- RunsTest.cpp - How long a run takes whose phases differ --------------------------------===//
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
