//===- ImportConfigurationTest.cpp - What emit wrote for a framework comes back as the layout -===//
#include "tests/golden/ImportedPlan.h"
#include "tests/golden/Runner.h"
#include <gtest/gtest.h>
using namespace dpl::test;

namespace {

struct Emitted {
  std::string plan;
  std::vector<std::string> arguments; ///< of the import, beside the file
  std::set<std::string> without;      ///< fields that the configuration does not say
};

Outcome imported(const std::string& target, const std::string& file, const Emitted& of,
                 const TemporaryFolder& folder) {
  const std::string launch = (folder.path / "launch").string();
  const std::string kind = target.substr(0, target.find('@'));
  std::vector<std::string> emits{"emit", target, of.plan, "-o", launch};
  for (const std::string& word : ofFramework(of.plan, kind))
    emits.push_back(word);
  const Outcome emitted = dplc(emits);
  EXPECT_EQ(emitted.exitCode, 0) << emitted.error;
  std::vector<std::string> arguments{"import", kind, launch + "/" + file, "-o",
                                     (folder.path / "imported.dpl").string()};
  arguments.insert(arguments.end(), of.arguments.begin(), of.arguments.end());
  return dplc(arguments);
}

void comesBack(const std::string& target, const std::string& file, const Emitted& of) {
  const TemporaryFolder folder;
  const Outcome read = imported(target, file, of, folder);
  ASSERT_EQ(read.exitCode, 0) << read.error;
  const std::string text = (folder.path / "imported.dpl").string();
  EXPECT_NE(importedPlan(of.plan, of.without).find("micro_batch = "), std::string::npos);
  EXPECT_EQ(refusedBy(target, text), "");
  EXPECT_EQ(importedPlan(text, of.without),
            importedPlan(of.plan, of.without, target.substr(0, target.find('@'))))
      << slurp(text);
}

class ImportTorchtitan : public testing::TestWithParam<const char*> {};
class ImportDeepspeed : public testing::TestWithParam<Emitted> {};

} // namespace

// It pads no vocabulary and trains the flavor, whose facts beside its dimensions may be others; 0.3
// has a learning rate where the plan has none.
const std::set<std::string> torchtitansOwn{
    "layout.vocab_multiple", "model.norm_epsilon", "model.scaling",       "model.balance",
    "model.coefficient",     "model.bias_rate",    "model.normalized",    "model.has_precision",
    "model.precision",       "model.base",         "model.initialization"};
TEST_P(ImportTorchtitan, OfWhatWasEmittedAsToml_IsAnEqualPlan) {
  comesBack("torchtitan@0.2.2", "train.toml", {GetParam(), {}, torchtitansOwn});
}
TEST_P(ImportTorchtitan, OfWhatWasEmittedAsPython_IsAnEqualPlan) {
  Emitted of{GetParam(), {}, torchtitansOwn};
  of.without.insert("layout.learning_rate");
  of.without.insert("layout.permutation"); // compiled in 0.3 alone, which the plan does not name
  comesBack("torchtitan@0.3.0", "dpl_plan.py", of);
}

INSTANTIATE_TEST_SUITE_P(
    Plans, ImportTorchtitan,
    testing::Values("tests/conformance/torchtitan/plans/deepseek_v3_stages.dpl",
                    "tests/conformance/torchtitan/plans/experts_pipeline.dpl",
                    "tests/conformance/torchtitan/plans/llama3_405b_pipeline.dpl",
                    "tests/conformance/torchtitan/plans/llama3_70b_tensor.dpl",
                    "tests/conformance/torchtitan/plans/llama3_8b_long.dpl",
                    "tests/conformance/torchtitan/plans/llama3_8b_sharded.dpl",
                    "tests/conformance/torchtitan/plans/qwen3_30b_experts.dpl"));

TEST(ImportTorchtitanTable, ASchedulesOwnTable_IsRefused) {
  const TemporaryFolder folder;
  const Outcome read =
      imported("torchtitan@0.3.0", "dpl_plan.py",
               {"tests/conformance/torchtitan/plans/llama3_8b_listed.dpl", {}, {}}, folder);
  EXPECT_EQ(read.exitCode, 1);
  EXPECT_NE(read.error.find("pipeline_parallel_schedule_csv"), std::string::npos) << read.error;
}

// What it overlaps is another matter than what the plan may have said: `differences` of its
// plan.json.
TEST_P(ImportDeepspeed, OfWhatWasEmitted_IsAnEqualLayout) {
  Emitted of = GetParam();
  of.without.insert("layout.overlap");
  comesBack("deepspeed", "ds_config.json", of);
}

INSTANTIATE_TEST_SUITE_P(
    Plans, ImportDeepspeed,
    testing::Values(Emitted{"tests/conformance/deepspeed/plans/stages.dpl",
                            {"--as", "models.llama3_8b", "--define", "NNODES=4", "--define",
                             "NPROC_PER_NODE=8", "--define", "PIPELINE=4", "--define", "TENSOR=2",
                             "--define", "SEQUENCE=tensor"},
                            {}},
                    Emitted{"tests/conformance/deepspeed/plans/automatic_tensors.dpl",
                            {"--as", "models.llama3_8b", "--define", "NNODES=4", "--define",
                             "NPROC_PER_NODE=8"},
                            {}},
                    Emitted{"tests/conformance/deepspeed/plans/ulysses.dpl",
                            {"--as", "models.llama3_8b", "--define", "NNODES=2", "--define",
                             "NPROC_PER_NODE=8", "--define", "CONTEXT=32768"},
                            {"layout.recompute"}}));

TEST(ImportTorchtitanOverrides, OfTheCommandLine_AreNamedAsTheyAreGiven) {
  const TemporaryFolder folder;
  spill(folder.path / "train.toml", "[model]\nname = \"llama3\"\nflavor = \"8B\"\n");
  const Outcome read = dplc({"import", "torchtitan", "train.toml", "--training.seq_len", "many",
                             "--training.warp=9", "--parallelism.context_parallel_degree=-2",
                             "--define", "NNODES=1", "--define", "NPROC_PER_NODE=8"},
                            folder.path);
  EXPECT_EQ(read.exitCode, 1);
  for (const char* text :
       {"`training.seq_len` is `many`, needed a whole number\n --> command line:1:1",
        "a plan cannot say `training.warp`\n --> command line:2:1",
        "`parallelism.context_parallel_degree` is `-2`", "2 | --training.warp=9"})
    EXPECT_NE(read.error.find(text), std::string::npos) << read.error;
}
