//===- IntervalsTest.cpp - Intervals of predictions, and what widens them ---------------------===//
#include "backends/report/Intervals.h"
#include "backends/report/Report.h"
#include "figures/ErrorModel.h"
#include "ir/Arithmetic.h"
#include "tests/unit/CompiledPlan.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;
using figures::ErrorSource;

namespace {
/// A plan on eight nodes; `cluster` and `layout` are fields of these blocks.
ir::Plan planWith(const std::string& cluster, const std::string& layout,
                  const std::string& model = "models.llama3_8b") {
  return test::completedPlan(
      "plan.dpl", fmt::format("import std.models\nimport std.clusters\nimport std.devices\n\n"
                              "model llm from {} {{}}\n"
                              "cluster pod from clusters.dgx_h100 {{\n  nodes = 8\n  {}\n}}\n"
                              "layout l for llm on pod {{\n  batch = 256seq\n"
                              "  mesh {{ data = rest, tensor = 4 }}\n  shard.optimizer = data\n"
                              "  {}\n}}\n"
                              "run days for l {{\n  phase[0] {{ tokens = 100Gtok }}\n}}\n",
                              model, cluster, layout));
}

double half(const ir::Plan& plan) {
  return figures::Figures(plan).value("step_time.interval").value_or(0);
}

const char* const nic = "nic { count = 1 per gpu, bandwidth = 400Gbps per nic }";
const char* const stated = "framework = megatron\n  micro_batch = 1seq";
} // namespace

TEST(Intervals, HoldTheirFigures) {
  const ir::Plan plan = planWith(nic, stated);
  const figures::Figures all(plan);
  for (const char* path :
       {"step_time", "tokens_per_second", "mfu", "memory.peak", "run[days].time"}) {
    const auto value = all.value(path), lower = all.value(std::string(path) + ".lower"),
               upper = all.value(std::string(path) + ".upper");
    ASSERT_TRUE(value && lower && upper) << path;
    EXPECT_LT(*lower, *value) << path;
    EXPECT_GT(*upper, *value) << path;
  }
  // Tokens of a step are given, so a slow step has few tokens per second.
  EXPECT_NEAR(*all.value("tokens_per_second.lower") * *all.value("step_time.upper"),
              *all.value("tokens_per_step"), 1e-6 * *all.value("tokens_per_step"));
  EXPECT_NEAR(*all.value("run[days].time.upper") / *all.value("run[days].time"),
              *all.value("step_time.upper") / *all.value("step_time"), 1e-9);
}

TEST(Intervals, AreWiderForEachInputThatNobodyStates) {
  const double all = half(planWith(nic, stated));
  EXPECT_GT(all, 0.02);
  EXPECT_LT(all, 0.15);
  EXPECT_GT(half(planWith("", stated)), all);
  EXPECT_GT(half(planWith(nic, "micro_batch = 1seq")), all);
  EXPECT_GT(half(planWith(nic, "framework = megatron")), all);
  const std::string unfitted = "node.gpu.sustained.fitted = none";
  EXPECT_GT(half(planWith(std::string(nic) + "\n  " + unfitted, stated)), all + 0.05);
  // Efficiencies in the file are stated.
  EXPECT_NEAR(
      half(planWith(std::string(nic) + "\n  " + unfitted + "\n  node.gpu.sustained.matmul = 0.7",
                    stated)),
      all, 1e-9);
}

TEST(Intervals, NameWhatIsAssumed) {
  EXPECT_EQ(report::assumptionsText(planWith(nic, stated)), "");
  EXPECT_EQ(report::assumptionsText(planWith("", "")),
            "default kernels and overlaps, for no framework (`framework`), network of the "
            "library's cluster "
            "(`nic`), a micro-batch of 1 (`micro_batch`)");
  EXPECT_EQ(report::assumptionsText(planWith("node.gpu = devices.mi300x", stated)),
            "network of the library's cluster (`nic`), efficiencies of mi300x "
            "(`node.gpu.sustained`)");
}

TEST(Intervals, HaveTheUnitOfTheFigure_AndOneDigitLess) {
  const ir::Plan plan = planWith(nic, stated);
  const figures::Figures all(plan);
  const double step = *all.value("step_time"), lower = *all.value("step_time.lower"),
               upper = *all.value("step_time.upper");
  EXPECT_EQ(report::withInterval(fmt::format("{:.3f}s", step), all, "step_time"),
            fmt::format("{:.3f}s ({:.2f} … {:.2f})", step, lower, upper));
  EXPECT_EQ(report::withInterval(fmt::format("{:.0f}ms", 1e3 * step), all, "step_time"),
            fmt::format("{:.0f}ms ({:.0f} … {:.0f})", 1e3 * step, 1e3 * lower, 1e3 * upper));
  EXPECT_EQ(report::withInterval("text", all, "step_time"), "text");
  EXPECT_EQ(report::withInterval("7", all, "mesh.tensor"), "7"); // has no interval
}

TEST(Intervals, CallAPlanBarelyFitting_WhereRunsOfThePastRanOutOfMemory) {
  const ir::Plan roomy = planWith(nic, stated);
  EXPECT_FALSE(figures::fitsBarely(*ir::tightest(roomy.memory)));
  EXPECT_NE(report::renderCheck(roomy, 100, 0).find("fits       yes: peak"), std::string::npos);
  const double peak = ir::real(ir::tightest(roomy.memory)->peak());
  ASSERT_GT(figures::barelyShare(), 0);
  const auto withMemory = [&](double bytes) {
    return planWith(fmt::format("{}\n  node.gpu.memory = {:.0f}B", nic, bytes), stated);
  };
  const ir::Plan full = withMemory(peak / (1 - figures::barelyShare() / 2));
  EXPECT_TRUE(figures::fitsBarely(*ir::tightest(full.memory)));
  EXPECT_NE(report::renderCheck(full, 100, 0).find("fits       barely: peak"), std::string::npos);
  EXPECT_FALSE(figures::fitsBarely(
      *ir::tightest(withMemory(peak / (1 - 2 * figures::barelyShare())).memory)));
}
