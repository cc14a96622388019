//===- BoundsTest.cpp - Figures that have bounds keep them ------------------------------------===//
#include "figures/Figures.h"
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include <gtest/gtest.h>

using namespace dpl;

namespace {
/// Parts of a step that are there in any case or not at all, and are never negative.
constexpr const char* parts[] = {
    "time.compute", "time.launch_bound", "time.recompute", "time.coding", "time.offload",
    "time.exposed", "time.bubble",       "time.optimizer", "time.jitter", "time.loading"};
/// Shares of a whole.
constexpr const char* shares[] = {"mfu",
                                  "hfu",
                                  "peak_share",
                                  "bubble_fraction",
                                  "bubble_fraction.span",
                                  "pipeline_utilisation",
                                  "communication_share",
                                  "routing.dropped"};

void keepsItsBounds(const ir::Plan& plan, std::uint64_t seed) {
  const figures::Figures figures(plan);
  const double step = figures.value("step_time").value(), rounding = 1e-9 * step + 1e-11;
  double sum = 0;
  for (const char* part : parts) {
    const double time = figures.value(part).value_or(0);
    ASSERT_GE(time, -rounding) << seed << ": " << part;
    sum += time;
  }
  ASSERT_NEAR(sum, step, rounding) << seed;
  for (const char* share : shares)
    if (const std::optional<double> of = figures.value(share)) {
      ASSERT_GE(*of, -1e-9) << seed << ": " << share;
      ASSERT_LE(*of, 1 + 1e-9) << seed << ": " << share;
    }
  if (const auto below = figures.value("time.below_peak")) {
    ASSERT_GE(*below, -rounding) << seed;
  }
  if (const auto hfu = figures.value("hfu")) {
    ASSERT_GE(*hfu * (1 + 1e-9), *figures.value("mfu")) << seed;
  }
}
} // namespace

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
    ASSERT_NO_FATAL_FAILURE(keepsItsBounds(plan, seed));
    const figures::Figures figures(plan);
    ++checked;
    launchBound += figures.value("time.launch_bound").value_or(0) > 0 ? 1 : 0;
  }
  EXPECT_GE(checked * 3, test::plansToMake() * 2);
  EXPECT_GT(launchBound, 0U);
}
