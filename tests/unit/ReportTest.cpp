//===- ReportTest.cpp - The report's tables, formulas and screens on a plan made by hand ------===//
#include "backends/report/Report.h"
#include "backends/report/Page.h"
#include "backends/report/PageLayout.h"
#include "backends/report/StepComponents.h"
#include "backends/report/SvgParts.h"
#include "backends/report/TextTable.h"
#include "driver/workspace/Workspace.h"
#include "figures/Traced.h"
#include "passes/Pass.h"
#include "support/Json.h"
#include "support/Utf8.h"
#include "tests/unit/CompiledPlan.h"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::report;
using testing::HasSubstr;
using testing::Not;

namespace {

/// A small plan of two stages, compiled and completed.
ir::Plan smallPlan(const std::string& more = "", const std::string& cluster = "") {
  return test::completedPlan("tiny.dpl",
                             "import std.models\nimport std.clusters\n"
                             "cluster pod from clusters.dgx_h100 {\n  nodes = 1\n" +
                                 cluster +
                                 "}\nlayout tiny for models.gpt2_small on pod {\n"
                                 "  batch = 64seq\n  mesh { pipeline = 2, data = 4 }\n" +
                                 more + "}\n");
}

std::size_t widestLine(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    widest = std::max(widest, codePoints(text.substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

TEST(Expressions, ParenthesesStandWhereTheyAreNeeded) {
  figures::FormulaTrees all;
  figures::Figure a, b;
  a.path = "a", a.value = 6, b.path = "b", b.value = 4;
  const figures::Traced x(all, a), y(all, b);
  const auto text = [&](const figures::Traced& t) {
    return all.text(t.formula(), [](const figures::Figure& f) { return f.path; });
  };
  EXPECT_EQ(text((x + y) * 2 / (x * y)), "(a + b) * 2 / (a * b)");
  EXPECT_EQ(text(x - (y - 1) - x / y), "a - (b - 1) - a / b");
  EXPECT_EQ(text(max(0, x - y)), "max(0, a - b)");
  EXPECT_EQ((x + y * 2).value(), 14);
}

TEST(Expressions, OfAMaximumOneOperandDecides) {
  figures::FormulaTrees all;
  figures::Figure a, b;
  a.value = 6, b.value = 4;
  const figures::Traced x(all, a), y(all, b);
  EXPECT_EQ(all.deciding(max(y, x).formula()), &a);
  EXPECT_EQ(all.deciding((x + y).formula()), nullptr);
}

TEST(Traced, WhatReadsNothing_IsNothing) {
  figures::FormulaTrees all;
  figures::Figure a;
  EXPECT_FALSE((figures::Traced(all, a) * figures::Traced() + 1).has());
}

TEST(Table, TooManyColumnsGoBelowEachOther) {
  TextTable table({"rank", "parameters", "gradients"});
  table.row({"0", "1GiB", "2GiB"});
  EXPECT_EQ(table.render(80), "  rank  parameters  gradients\n  0           1GiB       2GiB\n");
  EXPECT_EQ(table.render(20),
            "  rank  parameters\n  0           1GiB\n\n  rank  gradients\n  0          2GiB\n");
}

TEST(Table, EqualNeighboursAreOneRow) {
  TextTable table({"rank", "peak"});
  for (const char* rank : {"0", "1", "2", "3"})
    table.row({rank, rank[0] == '0' ? "9" : "8"});
  table.mergeEqualRows();
  EXPECT_EQ(table.render(80), "  rank  peak\n  0        9\n  1-3      8\n");
}

TEST(Losses, AreOrderedByTimeAndMakeUpTheStep) {
  const ir::Plan plan = smallPlan();
  const figures::Figures figures(plan);
  const std::vector<StepLoss> all = losses(plan, figures);
  ASSERT_GE(all.size(), 3U);
  EXPECT_EQ(all[0].path, "time.launch_bound"); // a small model is launch-bound
  for (const StepLoss& loss : all)
    EXPECT_EQ(loss.seconds, figures.value(loss.path)) << loss.path;
  double lost = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    lost += all[i].seconds;
    EXPECT_TRUE(i == 0 || all[i].seconds <= all[i - 1].seconds);
  }
  const double step = *figures.value("step_time");
  EXPECT_NEAR(lost + *figures.value("time.ideal"), step, 5e-3 * step); // small ones are left out
}

TEST(Check, IsOneScreenWithTheWorstRankAndTheReasons) {
  const std::string text = renderCheck(smallPlan(), 80, 2);
  EXPECT_THAT(text, HasSubstr("mesh { pipeline = 2, data = 4 }"));
  EXPECT_THAT(text, HasSubstr("on pipeline rank "));
  EXPECT_THAT(text, HasSubstr("pipeline bubble (time.bubble): 2 stages"));
  EXPECT_THAT(text, HasSubstr("warnings   2"));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
}

TEST(Losses, OfUnevenStages_AreApartFromSlowKernels) {
  const ir::Plan plan = smallPlan("  split = [3, 9]\n");
  const figures::Figures figures(plan);
  const double kernels = *figures.value("time.below_peak.kernels"),
               imbalance = *figures.value("time.below_peak.stage_imbalance");
  EXPECT_GT(kernels, 0);
  EXPECT_GT(imbalance, 0);
  EXPECT_NEAR(kernels + imbalance, *figures.value("time.below_peak"), 1e-12);
  EXPECT_NEAR(imbalance, *figures.value("time.compute") - *figures.value("time.compute.mean"),
              1e-12);
}

/// Two ranks with two chunks each and 16 micro-batches: the bubble of equal stages is
/// (p - 1) / (v m) = 1/32 of the work of a rank (Narayanan et al. 2021, section 2.2).
TEST(Losses, OfTheBubbleOfUnevenChunks_HaveTheBubbleOfEqualOnes) {
  const auto reasonOf = [](const ir::Plan& plan) {
    for (const StepLoss& loss : losses(plan, figures::Figures(plan)))
      if (loss.path == "time.bubble")
        return loss.reason;
    return std::string();
  };
  const std::string chunks = "  micro_batch = 1seq\n  schedule = interleaved_1f1b { chunks = 2 }\n";
  const ir::Plan uneven = smallPlan(chunks + "  split = [5, 1, 1, 5]\n");
  const figures::Figures figures(uneven);
  const double step = *figures.value("step_time"), equal = *figures.value("time.busy") / 2 / 32,
               rest = *figures.value("time.bubble") - equal;
  EXPECT_THAT(reasonOf(uneven),
              HasSubstr(fmt::format("; equal stages would give {:.2f}%, unequal stages and "
                                    "messages add {:.2f}%",
                                    100 * equal / step, 100 * rest / step)));
  EXPECT_THAT(reasonOf(smallPlan(chunks)), Not(HasSubstr("equal stages")));
}

TEST(ChangedLosses, AreTheLargestDifferences) {
  const ir::Plan plan = smallPlan(), recomputed = smallPlan("  recompute = full\n");
  EXPECT_THAT(changedLosses(plan, recomputed), HasSubstr(" more recomputation"));
  EXPECT_THAT(changedLosses(recomputed, plan), HasSubstr(" less recomputation"));
  EXPECT_EQ(changedLosses(plan, plan), "");
}

TEST(Report, KeepsToTheWidthOfTheTerminal) {
  for (unsigned width : {80U, 200U})
    EXPECT_LE(widestLine(renderReport(smallPlan(), width)), width);
}

TEST(Report, EveryPartOfTheStepIsInItsTable) {
  const ir::Plan plan = smallPlan("", "  jitter = lognormal { cv = 0.05 }\n");
  EXPECT_THAT(renderReport(plan, 100),
              testing::ContainsRegex("waiting for the slowest device +time.jitter"));
  double sum = 0;
  const figures::Figures figures(plan);
  for (const StepRow& row : stepRows(figures)) {
    EXPECT_EQ(row.seconds, figures.value(row.path)) << row.path;
    sum += row.detail ? 0 : row.seconds;
  }
  EXPECT_NEAR(sum, *figures.value("step_time"), 1e-3 * sum); // without rows of 0.00%
}

TEST(Json, NamesTheUnitOfEachFigure) {
  const Json json = reportJson(smallPlan());
  EXPECT_EQ(json["figures"]["step_time"]["unit"], "s");
  EXPECT_EQ(json["figures"]["mfu"]["unit"], "");
  EXPECT_EQ(json["figures"]["model.context"]["provenance"], "declared");
  EXPECT_EQ(json["figures"]["memory.rank[1].peak"]["value"],
            json["memory"]["ranks"][1]["peak_bytes"]);
}

TEST(Why, ShowsFormulaPlugInAndSourceDownToTheLeaves) {
  const ir::Plan plan = smallPlan();
  const std::string text =
      why(figures::Figures(plan), "cost.per_step") + why(figures::Figures(plan), "tokens_per_step");
  EXPECT_THAT(text, HasSubstr("tokens_per_step = 65.54ktok"));
  EXPECT_THAT(text, HasSubstr("= sequences_per_step * model.context"));
  EXPECT_THAT(text, HasSubstr("= 64seq * 1.024ktok"));
  EXPECT_THAT(text, HasSubstr("declared, tiny.dpl"));
}

TEST(Why, VariesTheInputsThroughTheFormulas) {
  const ir::Plan plan = smallPlan();
  EXPECT_THAT(why(figures::Figures(plan), "tokens_per_second_per_device"),
              HasSubstr("most sensitive to"));
  EXPECT_THAT(why(figures::Figures(plan), "tokens_per_step"),
              HasSubstr("most sensitive to sequences_per_step: +1% changes it by +1.00%"));
}

TEST(Why, OfAPrefixIsAListOfFigures) {
  const ir::Plan plan = smallPlan();
  EXPECT_THAT(why(figures::Figures(plan), "time"), HasSubstr("time.exposed.tensor = 0ps"));
  EXPECT_EQ(why(figures::Figures(plan), "nothing"), "");
}

} // namespace

// A letter is 0.56 of its size on average: 113 pixels have 20 letters of size 10.
TEST(Report, OfATitleThatIsTooLong_TheMiddleIsLeftOut) {
  const std::string fits(20, 'a');
  EXPECT_EQ(fitted(fits, 113, 10), fits);
  EXPECT_EQ(fitted("name of a layout (its file): 3GiB", 113, 10), "name …ts file): 3GiB");
  // Whole characters, where they take several bytes.
  EXPECT_EQ(fitted("äöü äöü äöü äöü äöü äöü", 113, 10), "äöü ä…öü äöü äöü äöü");
}

TEST(Report, OfATitle_PathsAreWords) {
  EXPECT_EQ(inWords("step_time.mean"), "step time mean");
  EXPECT_EQ(inWords("memory.rank[0].activations"), "memory rank[0] activations");
  EXPECT_EQ(inWords("0.5 * step_time"), "0.5 * step time");
}

TEST(Page, OfALongStudy_HasRowsFromAllParts) {
  Json study;
  study["rows"] = Json::array();
  for (std::uint64_t i = 0; i < 50'000; ++i)
    study["rows"].push_back({{"values", {{"nodes", std::to_string(i % 5)}}},
                             {"outputs", {{"mfu", i}, {"step_time", i}, {"power", i}}}});
  Json few = study;
  thinRows(study);
  ASSERT_EQ(study["rows"].size(), 20'000U);
  EXPECT_EQ(study["rows_left_out"].get<std::size_t>(), 30'000U);
  std::map<std::string, int> nodes;
  double last = -1;
  for (const Json& row : study["rows"]) {
    ++nodes[row["values"]["nodes"].str()];
    const auto number = row["outputs"]["mfu"].get<double>();
    ASSERT_GT(number, last);
    ASSERT_LT(number, last + 6);
    last = number;
  }
  for (const auto& [value, count] : nodes)
    EXPECT_GT(count, 3'000) << value;
  EXPECT_EQ(nodes.size(), 5U);
  few["rows"] = Json::array({few["rows"][0], few["rows"][1]});
  const Json before = few;
  thinRows(few);
  EXPECT_EQ(few, before);
}

TEST(Page, OfALongScreen_HasItsFirstLines) {
  PageContent content;
  content.kind = "study";
  for (int i = 0; i < 100'000; ++i)
    content.screen += fmt::format("row {}\n", i);
  const std::string text = page(content);
  EXPECT_THAT(text, HasSubstr("row 10000\n"));
  EXPECT_THAT(text, Not(HasSubstr("row 20000\n")));
  EXPECT_THAT(text, HasSubstr(" more lines without `--html`\n</pre>"));
  content.screen = "short\n";
  EXPECT_THAT(page(content), HasSubstr("<pre>short\n</pre>"));
}
