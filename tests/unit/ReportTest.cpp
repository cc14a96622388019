//===- ReportTest.cpp - The report's tables, formulas and screens on a plan made by hand ------===//
#include "backends/report/Report.h"
#include "backends/report/Formula.h"
#include "backends/report/Losses.h"
#include "backends/report/Table.h"
#include "support/Utf8.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace dpl;
using namespace dpl::report;
using testing::HasSubstr;
using testing::Not;

namespace {

std::optional<double> letters(const std::string& s) {
  if (s == "a")
    return 6;
  if (s == "memory.rank[0].peak")
    return 4;
  return std::nullopt;
}

/// Two pipeline ranks of an imaginary cluster; 10 s a step of which 4 s are arithmetic at peak.
ir::Plan smallPlan() {
  ir::Plan plan;
  plan.name = "tiny";
  plan.file = "tiny.dpl";
  plan.hash = "0123456789abcdef";
  plan.model.name = "llm";
  plan.model.kind = "decoder";
  plan.model.hidden = 64;
  plan.model.context = 128;
  plan.model.classes.resize(1);
  plan.model.runs = {{0, 4}};
  plan.cluster.name = "pod";
  plan.cluster.nodes = 1;
  plan.cluster.gpusPerNode = 2;
  ir::NodeClass all;
  all.nodes = 1;
  all.device.name = "chip";
  all.device.memory = 80ULL << 30;
  plan.cluster.classes = {all};
  plan.cluster.levels.resize(1);
  plan.cluster.levels[0].level = ir::Level::Node;
  plan.cluster.levels[0].devices = 2;
  plan.layout.batch = 8;
  plan.layout.mesh.axes.resize(1);
  plan.mesh.axes = {{ir::Axis::Pipeline, 2, 1, ir::Level::Node},
                    {ir::Axis::Data, 1, 1, ir::Level::Gpu}};
  plan.mesh.devices = 2;
  plan.mesh.microBatches = 8;
  plan.chunks.resize(2);
  plan.chunks[0].layers = 2;
  plan.chunks[0].embedding = true;
  plan.chunks[1].rank = 1;
  plan.chunks[1].firstLayer = 2;
  plan.chunks[1].layers = 2;
  plan.chunks[1].head = true;
  plan.costs.resize(2);
  plan.memory.resize(2);
  plan.memory[0].parameters = 40ULL << 30;
  plan.memory[1].rank = 1;
  plan.memory[1].parameters = 60ULL << 30;
  plan.memory[0].usable = plan.memory[1].usable = 80ULL << 30;
  ir::Results& r = plan.results;
  r.add({"step_time",
         10,
         "Duration",
         "compute + bubble + tensor",
         {"time.compute", "time.bubble", "time.exposed.tensor"},
         ir::Provenance::Derived,
         "",
         "one optimizer update"});
  r.add({"time.ideal", 4, "Duration", "", {}, ir::Provenance::Derived, "", ""});
  r.add({"time.compute",
         7,
         "Duration",
         "work / speed",
         {"work", "speed"},
         ir::Provenance::Derived,
         "",
         ""});
  r.add({"time.bubble",
         2,
         "Duration",
         "the schedule was run",
         {"work"},
         ir::Provenance::Derived,
         "",
         ""});
  r.add({"time.exposed.tensor", 1, "Duration", "", {}, ir::Provenance::Assumed, "", ""});
  r.add({"work", 14, "Flop", "", {}, ir::Provenance::Declared, "tiny.dpl:3:1", ""});
  r.add({"speed", 2, "FlopRate", "", {}, ir::Provenance::Measured, "a paper", ""});
  r.add({"mfu", 0.4, "", "", {}, ir::Provenance::Derived, "", ""});
  return plan;
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

TEST(Formula, PrecedenceIsThatOfArithmetic) {
  EXPECT_EQ(evaluateFormula("2 + 3 * a ^ 2 / (1 + 2)", letters), 38);
  EXPECT_EQ(evaluateFormula("-a + 2 × 3 − 1", letters), -1);
}

TEST(Formula, APathWithAnIndexIsOneSymbol) {
  EXPECT_EQ(evaluateFormula("max(memory.rank[0].peak, a) + ceil(0.5)", letters), 7);
}

TEST(Formula, ASentenceIsNoFormula) {
  EXPECT_EQ(evaluateFormula("the schedule was run", letters), std::nullopt);
  EXPECT_EQ(evaluateFormula("a +", letters), std::nullopt);
  EXPECT_EQ(evaluateFormula("a / 0", letters), std::nullopt);
  EXPECT_EQ(evaluateFormula(std::string(5000, '('), letters), std::nullopt);
}

TEST(Formula, ValuesArePluggedInForSymbolsOnly) {
  const auto text = [](const std::string& s) {
    return s == "e" || s == "a" ? std::optional<std::string>("6s") : std::nullopt;
  };
  EXPECT_EQ(plugIn("max(a, 1e9) * e / b", text), "max(6s, 1e9) * 6s / b");
}

TEST(Formula, OfAMaximumOneOperandDecides) {
  EXPECT_EQ(decidingSymbol("max(memory.rank[0].peak, a)", letters), "a");
  EXPECT_EQ(decidingSymbol("a + 1", letters), "");
}

TEST(Table, TooManyColumnsGoBelowEachOther) {
  Table table({"rank", "parameters", "gradients"});
  table.row({"0", "1GiB", "2GiB"});
  EXPECT_EQ(table.render(80), "  rank  parameters  gradients\n  0           1GiB       2GiB\n");
  EXPECT_EQ(table.render(20),
            "  rank  parameters\n  0           1GiB\n\n  rank  gradients\n  0          2GiB\n");
}

TEST(Table, EqualNeighboursAreOneRow) {
  Table table({"rank", "peak"});
  for (const char* rank : {"0", "1", "2", "3"})
    table.row({rank, rank[0] == '0' ? "9" : "8"});
  table.mergeEqualRows();
  EXPECT_EQ(table.render(80), "  rank  peak\n  0        9\n  1-3      8\n");
}

TEST(Losses, AreOrderedByTimeAndMakeUpTheStep) {
  const std::vector<Loss> all = losses(smallPlan());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].path, "time.compute");
  EXPECT_EQ(all[0].seconds, 3);
  EXPECT_EQ(all[1].path, "time.bubble");
  EXPECT_EQ(all[0].seconds + all[1].seconds + all[2].seconds, 6);
}

TEST(Check, IsOneScreenWithTheWorstRankAndTheReasons) {
  const std::string text = renderCheck(smallPlan(), 80, 2);
  EXPECT_THAT(text, HasSubstr("mesh { pipeline = 2 }"));
  EXPECT_THAT(text, HasSubstr("yes: peak 60GiB of 80GiB on pipeline rank 1, 20GiB (25.0%) free"));
  EXPECT_THAT(text, HasSubstr("pipeline bubble: 2 stages, 8 micro-batches"));
  EXPECT_THAT(text, HasSubstr("warnings   2"));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
}

TEST(Report, KeepsToTheWidthOfTheTerminal) {
  for (unsigned width : {80U, 200U})
    EXPECT_LE(widestLine(renderReport(smallPlan(), width)), width);
}

TEST(Report, EveryPartOfTheStepIsInItsTable) {
  ir::Plan plan = smallPlan();
  plan.results.add({"time.jitter", 1, "Duration", "", {}, ir::Provenance::Derived, "", ""});
  EXPECT_THAT(renderReport(plan, 100), HasSubstr("waiting for the slowest device  time.jitter"));
}

TEST(Json, NamesTheUnitOfEachFigure) {
  const auto json = nlohmann::ordered_json::parse(reportJson(smallPlan()), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["figures"]["step_time"]["unit"], "s");
  EXPECT_EQ(json["figures"]["mfu"]["unit"], "");
  EXPECT_EQ(json["figures"]["work"]["provenance"], "declared");
  EXPECT_EQ(json["memory"]["ranks"][1]["peak_bytes"], 60ULL << 30);
}

TEST(Why, ShowsFormulaPlugInAndSourceDownToTheLeaves) {
  const std::string text = why(smallPlan(), "step_time");
  EXPECT_THAT(text, HasSubstr("step_time = 10s"));
  EXPECT_THAT(text, HasSubstr("= work / speed"));
  EXPECT_THAT(text, HasSubstr("declared, tiny.dpl:3:1"));
  EXPECT_THAT(text, HasSubstr("measured, a paper"));
}

TEST(Why, VariesTheInputsThroughTheFormulas) {
  // compute is 0.7 of the step and falls as 1/speed; `work` reaches the bubble by no formula.
  EXPECT_THAT(why(smallPlan(), "time.compute"),
              HasSubstr("moved most by work: +1% there is +1.00% here"));
  EXPECT_THAT(why(smallPlan(), "step_time"),
              HasSubstr("moved most by work: +1% there is +0.70% here"));
}

TEST(Why, OfAPrefixIsAListOfFigures) {
  EXPECT_THAT(why(smallPlan(), "time"), HasSubstr("time.exposed.tensor = 1s"));
  EXPECT_EQ(why(smallPlan(), "nothing"), "");
}

} // namespace
