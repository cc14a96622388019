//===- BusiestLoadsTest.cpp - Drawn loads that simulations share ------------------------------===//
#include "simulate/plan/Simulation.h"
#include "tests/unit/CompiledPlan.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
ir::Plan planWith(const std::string& popularity) {
  return test::completedPlan("routed.dpl", fmt::format(R"(
import std.models
import std.textbook
cluster flat from textbook.flat {{ nodes = 8, node.gpu.memory = 1TB }}
model moe from models.decoder {{
  layers = 2
  hidden = 512
  heads = 8
  vocab = 32_000
  context = 256tok
  ffn = experts {{ count = 16, top_k = 1, width = 512, popularity = {} }}
}}
layout plan for moe on flat {{
  mesh {{ data = rest, experts {{ data = 1, expert = rest }} }}
  batch = 8seq
}}
)",
                                                       popularity));
}
} // namespace

// A simulation after another one with the same routing takes the loads that were drawn, and one
// with another popularity or seed draws its own.
TEST(BusiestLoads, AreDrawnOnceForTheSameRouting) {
  const ir::Plan plan = planWith("lognormal { cv = 1.0 }"),
                 other = planWith("lognormal { cv = 0.5 }");
  simulation::SimulationRequest alone;
  alone.steps = 20, alone.threads = 2;
  simulation::SimulationRequest sharing = alone;
  sharing.busiest = std::make_shared<simulation::BusiestLoads>();
  const std::vector<std::uint64_t> steps = runSteps(plan, alone).steps;
  EXPECT_EQ(runSteps(plan, sharing).steps, steps);
  EXPECT_EQ(runSteps(plan, sharing).steps, steps);
  EXPECT_EQ(runSteps(other, sharing).steps, runSteps(other, alone).steps);
  double* const drawn = sharing.busiest->find(0, 0, 0);
  ASSERT_TRUE(drawn);
  ASSERT_GT(*drawn, 1);
  *drawn *= 3;
  const std::vector<std::uint64_t> changed = runSteps(plan, sharing).steps;
  EXPECT_GT(changed[0], steps[0]);
  EXPECT_EQ(std::vector(changed.begin() + 1, changed.end()),
            std::vector(steps.begin() + 1, steps.end()));
  sharing.seed = alone.seed = 2;
  EXPECT_EQ(runSteps(plan, sharing).steps, runSteps(plan, alone).steps);
}
