//===- PublishedRunsTest.cpp - What dplc predicts for published runs, and how far off it is ---===//
//
// Each example says what dplc predicts, and its relative error where a run is published.
// Predictions stand there as they come out: no default of the library is set for one of these
// files. DPL_UPDATE=1 writes the line again; the difference is for the reader.
#include "driver/workspace/Workspace.h"
#include "figures/Figures.h"
#include "frontend/Frontend.h"
#include "frontend/sema/ParsedFiles.h"
#include "passes/Pass.h"
#include "planner/CompletePlan.h"
#include "tests/SourceFolder.h"
#include "tests/unit/CompiledPlan.h"
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace dpl;

namespace {

struct Known {
  const char* file; ///< of examples/
  const char*
      quantity; ///< what is compared (docs/reference/figures.md); null where nothing is published
  const char* label;
  double published; ///< base units
  const char* text; ///< the published figure, for people
};

constexpr const char* opening = "dplc predicts ";

class PublishedRun : public testing::TestWithParam<Known> {};

std::string predictionOf(const Known& run, const figures::Figures& figures) {
  const figures::Figure *step = figures.find("step_time"), *mfu = figures.find("mfu");
  if (!step || !mfu)
    return "nothing";
  std::string line = fmt::format("{}{} a step, {:.1f} % MFU", opening,
                                 human(step->value, *dimensionNamed("Duration")), 100 * mfu->value);
  if (!run.quantity)
    return line + ".";
  const figures::Figure* compared = figures.find(run.quantity);
  return line + fmt::format("; {} {:+.1f} % against the published {}.", run.label,
                            compared ? 100 * (compared->value / run.published - 1) : 0, run.text);
}

TEST_P(PublishedRun, IsPredictedAsItsCommentSays) {
  const Known& run = GetParam();
  const std::string path = (test::sourceFolder() / "examples" / run.file).string();
  SourceManager sources;
  DiagnosticEngine diags;
  ParsedFiles files(sources);
  Compilation compilation(files, diags, {});
  FailureOr<CompiledFile> file = compilation.compile(path);
  ASSERT_FALSE(file.failed()) << renderText(diags, sources, false);
  ASSERT_EQ(file->plans.size(), 1U);
  ir::Plan& plan = file->plans.front();
  const LogicalResult ran = planner::completePlan(plan, diags, {});
  ASSERT_FALSE(ran.failed()) << renderText(diags, sources, false);
  const std::string predicted = predictionOf(run, figures::Figures(plan));

  std::ifstream in(path);
  std::ostringstream whole;
  std::string recorded;
  for (std::string line; std::getline(in, line);) {
    if (const std::size_t at = line.find(opening); at != std::string::npos && recorded.empty()) {
      recorded = line.substr(at);
      line.replace(at, std::string::npos, predicted);
    }
    whole << line << '\n';
  }
  in.close();
  if (std::getenv("DPL_UPDATE")) {
    std::ofstream(path) << whole.str();
    recorded = predicted;
  }
  EXPECT_EQ(recorded, predicted) << "record again with DPL_UPDATE=1, then read the difference";
}

// Published figures with their sources: the comments of the examples.
INSTANTIATE_TEST_SUITE_P(
    Examples, PublishedRun,
    testing::Values(Known{"llama3_70b_h100.dpl", nullptr, "", 0, ""},
                    // 4.511e18 FLOP a step, recomputation counted, at 1024 x 140 TFLOP/s.
                    Known{"gpt3_175b_a100.dpl", "step_time", "step time",
                          4.510970753e18 / (1024 * 140e12), "31.47s"},
                    Known{"llama3_405b_h100.dpl", "flop_rate.model", "FLOP rate", 400e12,
                          "400 TFLOP/s a GPU"},
                    Known{"mixtral_8x22b_h100.dpl", "mfu", "MFU", 0.493, "49.3 %"},
                    // 180,000 GPU hours for 1e12 tokens.
                    Known{"dualpipe_v3_h800.dpl", "step_time", "step time",
                          15360 * 4096.0 * 180e3 * 3600 / 1e12 / 2048, "19.9s"},
                    Known{"deepseek_v3_h800.dpl", nullptr, "", 0, ""},
                    Known{"fsdp_hybrid_7b_two_sites.dpl", nullptr, "", 0, ""},
                    Known{"two_generations.dpl", nullptr, "", 0, ""},
                    Known{"resnet50_a100.dpl", "step_time", "step time", 2048 / 16621.0, "123ms"}),
    [](const auto& info) {
      const std::string file = info.param.file;
      return file.substr(0, file.find('.'));
    });

// arXiv 2407.21783, section 3.3.2: FSDP shards gradients, which are summed in fp32 over
// micro-batches and scattered in fp32; 400 TFLOP/s.
TEST(PublishedRunOf405B, WithGradientsShardedAsItsPaperSays_IsWithinSixPercent) {
  std::ifstream in(test::sourceFolder() / "examples" / "llama3_405b_h100.dpl");
  std::ostringstream file;
  file << in.rdbuf();
  std::string text = file.str();
  const std::string whole = "shard { optimizer = data";
  ASSERT_NE(text.find(whole), std::string::npos);
  text.replace(text.find(whole), whole.size(),
               "buffers.unsharded_gradients = fp32\n  shard { gradients = data, optimizer = data");
  const ir::Plan plan = test::completedPlan("sharded.dpl", text);
  const figures::Figures figures(plan);
  const figures::Figure* rate = figures.find("flop_rate.model");
  ASSERT_NE(rate, nullptr);
  EXPECT_NEAR(rate->value / 400e12, 1, 0.06);
}

} // namespace
