//===- FiguresTest.cpp - Every formula of a figure gives the figure ---------------------------===//
#include "figures/Figures.h"
#include "backends/report/Report.h"
#include "cost/step/StepTimes.h"
#include "frontend/Frontend.h"
#include "frontend/sema/ParsedFiles.h"
#include "passes/Pass.h"
#include "planner/CompletePlan.h"
#include "tests/SourceFolder.h"
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>

using namespace dpl;
namespace fs = std::filesystem;

namespace {
class Figures : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    ParsedFiles files(sources);
    Compilation compilation(files, diags, {});
    const std::string path = (test::sourceFolder() / "examples" / GetParam()).string();
    FailureOr<CompiledFile> file = compilation.compile(path);
    ASSERT_FALSE(file.failed());
    for (ir::Plan& plan : file->plans) {
      ASSERT_TRUE(planner::completePlan(plan, diags, {}).succeeded());
      plans.push_back(std::move(plan));
    }
  }
  SourceManager sources;
  DiagnosticEngine diags;
  std::vector<ir::Plan> plans;
};

} // namespace

TEST_P(Figures, EveryFormula_GivesItsFigure) {
  for (const ir::Plan& plan : plans) {
    const figures::Figures all(plan);
    for (const figures::Figure* figure : all.all()) {
      if (figure->formula == 0)
        continue;
      const double value = all.expressions().evaluate(
          figure->formula, [](const figures::Figure& input) { return input.value; });
      // A picosecond or a byte is lost where the plan holds whole ones.
      const Dimension& d = figure->dimension;
      const double least = d.second == 1 ? 1e-11 : d.byte == 1 ? 2 : 0;
      EXPECT_NEAR(value, figure->value, 1e-6 * std::abs(figure->value) + least)
          << figure->path << " = " << all.formula(*figure);
    }
  }
}

TEST_P(Figures, ValuesAlone_AreTheSame) {
  for (const ir::Plan& plan : plans) {
    const figures::Figures all(plan), values(plan, {}, figures::Depth::Values);
    for (const figures::Figure* figure : all.all())
      EXPECT_EQ(values.value(figure->path), figure->value) << figure->path;
  }
}

/// Formulas that go down to operators: their sums over classes of layers, seconds, without what the
/// plan rounds.
TEST_P(Figures, EveryFormulaOfAnOperator_GivesItsFigure) {
  for (const ir::Plan& plan : plans) {
    const figures::Figures all(plan, {}, figures::Depth::Operators);
    unsigned operators = 0;
    for (const figures::Figure* figure : all.all()) {
      operators += llvm::StringRef(figure->path).endswith(".forward.kernel_time") ? 1 : 0;
      if (figure->formula == 0 || figure->dimension.second != 1)
        continue;
      const double value = all.expressions().evaluate(
          figure->formula, [](const figures::Figure& input) { return input.value; });
      EXPECT_NEAR(value, figure->value, 1e-6 * std::abs(figure->value) + 1e-11) << figure->path;
    }
    EXPECT_GT(operators, 0U);
    // Every layer says what it is made of.
    for (const figures::Figure* figure : all.all()) {
      const llvm::StringRef path = figure->path;
      const bool layer =
          path.startswith("layer[") && path.endswith("].forward") && !path.contains(".operator");
      EXPECT_TRUE(!layer || figure->formula != 0) << figure->path;
    }
  }
}

TEST_P(Figures, OfOperators_AreNotMadeForAReport) {
  for (const ir::Plan& plan : plans) {
    const figures::Figures all(plan);
    for (const figures::Figure* figure : all.all())
      EXPECT_EQ(figure->path.find(".operator["), std::string::npos) << figure->path;
  }
}

/// A figure without a formula is declared, or the result of executing the schedule, of an integral
/// over drawn values or of counting over the model or its operators, or a part that other formulas
/// sum up.
TEST_P(Figures, WhatTheReportPrints_HasAFormula) {
  for (const ir::Plan& plan : plans) {
    const figures::Figures all(plan);
    for (const figures::Figure* figure : all.all()) {
      const llvm::StringRef path = figure->path;
      if (figure->formula != 0 || figure->provenance != figures::Provenance::Derived ||
          figure->value == 0)
        continue;
      EXPECT_FALSE(figure->note.empty()) << figure->path;
      const bool part = !path.startswith("memory.rank[") && !path.startswith("time.") &&
                        !path.startswith("stage[") && !path.startswith("traffic.") &&
                        path != "micro_batches" && path != "mfu";
      const bool known =
          path.endswith(".action_temporary") || path.endswith(".unsharded_units") ||
          path == "time.jitter" || path == "time.memory_bound" || path == "time.compute_bound" ||
          (path.startswith("stage[") && (path.endswith(".exposed") || path.endswith(".layers") ||
                                         path.endswith("_communication")));
      EXPECT_TRUE(part || known) << figure->path;
    }
  }
}

/// The plan's own whole numbers and the figures that explain them.
TEST_P(Figures, OfThePlansParts_AreThePlans) {
  for (const ir::Plan& plan : plans) {
    const figures::Figures all(plan);
    for (const ir::RankMemory& m : plan.memory)
      EXPECT_EQ(all.value(fmt::format("memory.rank[{}].peak", m.rank)),
                static_cast<double>(m.peak()));
    const double step = cost::stepTimes(plan).step;
    EXPECT_NEAR(all.value("step_time").value_or(0), step, 1e-12 * step);
  }
}

TEST_P(Figures, AskedForAlone_AreThoseOfTheWhole) {
  for (const ir::Plan& plan : plans) {
    const figures::Figures whole(plan, {}, figures::Depth::Operators);
    for (const figures::Figure* figure : whole.all()) {
      const figures::Figures one(plan);
      const figures::Figure* alone = one.find(figure->path);
      ASSERT_NE(alone, nullptr) << figure->path;
      EXPECT_EQ(alone->value, figure->value) << figure->path;
    }
    if (whole.all().size() > 400)
      break; // a large plan is enough
  }
}

TEST_P(Figures, WhyOfEachFigure_EndsInItsInputs) {
  for (const ir::Plan& plan : plans)
    for (const char* path : {"step_time", "time.bubble", "memory.peak", "mfu", "time.optimizer"}) {
      const std::string text = report::why(figures::Figures(plan), path);
      EXPECT_NE(text.find("\n"), std::string::npos) << path;
    }
}

INSTANTIATE_TEST_SUITE_P(Examples, Figures,
                         testing::Values("llama3_70b_h100.dpl", "llama3_405b_h100.dpl",
                                         "dualpipe_v3_h800.dpl", "mixtral_8x22b_h100.dpl",
                                         "gpt3_175b_a100.dpl", "fsdp_hybrid_7b_two_sites.dpl",
                                         "resnet50_a100.dpl", "smallest.dpl", "two_generations.dpl",
                                         "unequal_nodes.dpl", "user_schema.dpl", "llama.dpl"),
                         [](const auto& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });
