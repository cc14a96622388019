//===- FiguresTest.cpp - Every formula of a figure gives the figure ---------------------------===//
#include "backends/report/Formula.h"
#include "backends/report/Report.h"
#include "frontend/Frontend.h"
#include "passes/Pass.h"
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>

using namespace dpl;
namespace fs = std::filesystem;

namespace {
class Figures : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    Compilation compilation(sources, diags, {});
    const std::string path = (fs::path(DPL_SOURCE_DIR) / "examples" / GetParam()).string();
    FailureOr<CompiledFile> file = compilation.compile(path);
    ASSERT_FALSE(file.failed());
    for (ir::Plan& plan : file->plans) {
      ASSERT_TRUE(runPipeline(plan, diags, {}).succeeded());
      plans.push_back(std::move(plan));
    }
  }
  SourceManager sources;
  DiagnosticEngine diags;
  std::vector<ir::Plan> plans;
};

std::optional<double> recomputed(const ir::Results& results, const ir::Quantity& q) {
  return report::evaluateFormula(q.formula, [&](const std::string& s) -> std::optional<double> {
    const ir::Quantity* input = report::symbolInput(results, q, s);
    return input ? std::optional(input->value) : std::nullopt;
  });
}
} // namespace

TEST_P(Figures, EveryFormula_GivesItsFigure) {
  for (const ir::Plan& plan : plans)
    for (const ir::Quantity& q : plan.results.quantities) {
      for (const std::string& input : q.inputs)
        EXPECT_TRUE(plan.results.find(input)) << q.path << " reads " << input;
      if (q.formula.empty())
        continue;
      const std::optional<double> value = recomputed(plan.results, q);
      ASSERT_TRUE(value) << q.path << " = " << q.formula;
      // A picosecond or a byte is lost where parts are rounded.
      const double least = q.dimension == "Duration" ? 1e-11 : q.dimension == "Bytes" ? 2 : 0;
      EXPECT_NEAR(*value, q.value, 1e-6 * std::abs(q.value) + least)
          << q.path << " = " << q.formula;
    }
}

/// What has no formula is declared, comes out of executing the schedule, is counted over the model
/// or is a part that the formulas of others sum up.
TEST_P(Figures, WhatTheReportPrints_HasAFormula) {
  for (const ir::Plan& plan : plans)
    for (const ir::Quantity& q : plan.results.quantities) {
      const llvm::StringRef path = q.path;
      if (!q.formula.empty() || q.provenance != ir::Provenance::Derived || q.value == 0)
        continue;
      EXPECT_FALSE(q.note.empty()) << q.path;
      const bool part = !path.startswith("memory.rank[") && !path.startswith("time.") &&
                        !path.startswith("stage[") && !path.startswith("traffic.") &&
                        path != "micro_batches" && path != "mfu";
      const bool known = path.endswith(".working") || path.endswith(".gathered") ||
                         (path.startswith("stage[") && path.endswith(".exposed"));
      EXPECT_TRUE(part || known) << q.path;
    }
}

TEST_P(Figures, WhyOfEachFigure_EndsInItsInputs) {
  for (const ir::Plan& plan : plans)
    for (const char* path : {"step_time", "time.bubble", "memory.peak", "mfu", "time.optimizer"}) {
      const std::string text = report::why(plan, path);
      EXPECT_NE(text.find("\n"), std::string::npos) << path;
    }
}

INSTANTIATE_TEST_SUITE_P(Examples, Figures,
                         testing::Values("llama3_70b_h100.dpl", "llama3_405b_h100.dpl",
                                         "deepseek_v3_h800.dpl", "mixtral_8x22b_h100.dpl",
                                         "gpt3_175b_a100.dpl", "fsdp_hybrid_7b_two_sites.dpl",
                                         "resnet50_a100.dpl", "smallest.dpl", "unequal_nodes.dpl",
                                         "user_schema.dpl", "llama.dpl"),
                         [](const auto& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });
