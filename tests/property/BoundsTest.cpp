//===- BoundsTest.cpp - Figures stay within their bounds --------------------------------------===//
#include "figures/Bounds.h"
#include "figures/Figures.h"
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include <gtest/gtest.h>

using namespace dpl;

TEST(Bounds, OfRandomPlansAreKept) {
  std::uint64_t checked = 0, launchBound = 0;
  for (std::uint64_t seed = 1; seed <= test::plansToMake(); ++seed) {
    ir::Plan plan = test::randomPlan(seed);
    DiagnosticEngine said;
    if (runPipeline(plan, said, {}).failed()) {
      for (const Diagnostic& d : said.diagnostics())
        ASSERT_STRNE(d.info.code, "DPL0901") << seed << ": " << d.message;
      continue;
    }
    ASSERT_EQ(figures::brokenBound(plan), "") << seed;
    const figures::Figures figures(plan);
    ++checked;
    launchBound += figures.value("time.launch_bound").value_or(0) > 0 ? 1 : 0;
  }
  EXPECT_GE(checked * 3, test::plansToMake() * 2);
  EXPECT_GT(launchBound, 0U);
}
