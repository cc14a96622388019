//===- ImportConfigurationTest.cpp - What emit wrote for a framework comes back as the layout -===//
#include "tests/golden/ImportedPlan.h"
#include "tests/golden/Runner.h"
#include "llvm/ADT/StringRef.h"
#include <fmt/format.h>
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
    "layout.vocab_multiple",  "model.norm_epsilon", "model.scaling",
    "model.scaling_factor",   "model.balance",      "model.coefficient",
    "model.bias_update_rate", "model.normalized",   "model.has_precision",
    "model.precision",        "model.base",         "model.init_std"};
TEST_P(ImportTorchtitan, OfWhatWasEmittedAsToml_IsAnEqualPlan) {
  Emitted of{GetParam(), {}, torchtitansOwn};
  of.without.insert(
      "layout.permutation"); // compiled since 0.3, which plans without a version are for
  comesBack("torchtitan@0.2.2", "train.toml", of);
}
TEST_P(ImportTorchtitan, OfWhatWasEmittedAsPython_IsAnEqualPlan) {
  Emitted of{GetParam(), {}, torchtitansOwn};
  of.without.insert("layout.learning_rate");
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

namespace {

/// The error output of an import of a small file with these words of a command line.
std::string errorsOf(const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  spill(folder.path / "train.toml", "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\n"
                                    "seq_len = 8192\n[parallelism]\n"
                                    "data_parallel_shard_degree = -1\n");
  std::vector<std::string> all{"import", "torchtitan", "train.toml"};
  all.insert(all.end(), words.begin(), words.end());
  for (const char* define : {"NNODES=1", "NPROC_PER_NODE=8"})
    all.insert(all.end(), {"--define", define});
  const Outcome read = dplc(all, folder.path);
  EXPECT_EQ(read.exitCode, 1);
  return read.error;
}

void hasAll(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "not there: " << part << "\n" << text;
}

} // namespace

TEST(ImportTorchtitanOverrides, OfTheCommandLine_AreNamedAsTheyAreGiven) {
  hasAll(
      errorsOf({"--training.seq_len", "many", "--training.warp=9",
                "--parallelism.context_parallel_degree=-2"}),
      {"`training.seq_len` is `many`, needed a whole number of at least 1\n --> command line:1:1",
       "DPL does not support `training.warp`\n --> command line:2:1",
       "`parallelism.context_parallel_degree` is `-2`", "2 | --training.warp=9"});
}

TEST(ImportTorchtitanOverrides, AMisspeltDegree_IsNotOfferedToBeIgnored) {
  const std::string errors = errorsOf({"--parallelism.context_parallel_degre=2"});
  hasAll(errors, {"`parallelism.context_parallel_degre = 2` sets a size of the run, but the import "
                  "does not support it, and it cannot be ignored\n --> command line:1:1",
                  "help: did you mean `parallelism.context_parallel_degree`?"});
  EXPECT_EQ(errors.find("--ignore"), std::string::npos) << errors;
}

TEST(ImportTorchtitanOverrides, AnEmptyValue_IsNotTrue) {
  hasAll(errorsOf({"--parallelism.tensor_parallel_degree="}),
         {"`parallelism.tensor_parallel_degree` is ``, needed a whole number of at least 1\n --> "
          "command line:1:1"});
}

TEST(ImportTorchtitanOverrides, ErrorsOfThePlan_StandAtTheOverride) {
  hasAll(errorsOf({"--parallelism.tensor_parallel_degree=2", "--training.seq_len=8191"}),
         {"do not divide over tensor = 2 (`parallelism.tensor_parallel_degree`)\n --> command "
          "line:2:1"});
}

TEST(ImportTorchtitanOverrides, ADegreeThatDoesNotDivide_IsTheOneOfTheCommandLine) {
  hasAll(errorsOf({"--parallelism.pipeline_parallel_degree=3"}),
         {"8 processes are not a multiple of replicate × context × tensor × pipeline = 3\n --> "
          "command line:1:1"});
}

namespace {

/// Errors of the text that have no place.
std::string withoutAPlace(llvm::StringRef text) {
  std::string out;
  llvm::StringRef line;
  while (!text.empty()) {
    std::tie(line, text) = text.split('\n');
    if (line.startswith("error[") && !text.split('\n').first.ltrim().startswith("-->"))
      out += line.str() + "\n";
  }
  return out;
}

constexpr const char* badValues[] = {"0", "-1", "3", "0.5", "4097", "99999999999999"};

} // namespace

TEST(ImportTorchtitanValues, EachErrorHasAPlace) {
  const std::pair<const char*, std::vector<const char*>> tables[] = {
      {"training", {"local_batch_size", "global_batch_size", "seq_len", "steps"}},
      {"parallelism",
       {"data_parallel_replicate_degree", "data_parallel_shard_degree", "context_parallel_degree",
        "tensor_parallel_degree", "pipeline_parallel_degree", "expert_parallel_degree"}},
      {"optimizer", {"lr", "beta1", "beta2", "weight_decay"}},
      {"lr_scheduler", {"warmup_steps", "min_lr_factor"}},
      {"activation_checkpoint", {"mode", "selective_ac_option"}}};
  const TemporaryFolder folder;
  for (const auto& [table, settings] : tables)
    for (const char* setting : settings)
      for (const char* value : badValues) {
        spill(folder.path / "train.toml",
              fmt::format("[model]\nname = \"llama3\"\nflavor = \"8B\"\n[{}]\n{} = {}\n", table,
                          setting, value));
        const Outcome read = dplc({"import", "torchtitan", "train.toml", "--define", "NNODES=4",
                                   "--define", "NPROC_PER_NODE=8"},
                                  folder.path);
        EXPECT_EQ(withoutAPlace(read.error), "") << setting << " = " << value;
      }
}

TEST(ImportMegatronValues, EachErrorHasAPlace) {
  const char* const options[] = {"--num-layers",
                                 "--hidden-size",
                                 "--num-attention-heads",
                                 "--seq-length",
                                 "--micro-batch-size",
                                 "--global-batch-size",
                                 "--vocab-size",
                                 "--tensor-model-parallel-size",
                                 "--pipeline-model-parallel-size",
                                 "--context-parallel-size",
                                 "--ffn-hidden-size",
                                 "--kv-channels",
                                 "--norm-epsilon",
                                 "--rotary-base",
                                 "--rotary-percent",
                                 "--init-method-std",
                                 "--hidden-dropout",
                                 "--lr",
                                 "--adam-beta2",
                                 "--weight-decay",
                                 "--num-experts",
                                 "--moe-router-topk",
                                 "--expert-model-parallel-size",
                                 "--num-layers-per-virtual-pipeline-stage",
                                 "--num-distributed-optimizer-instances"};
  const std::string launch = "# torchrun --nnodes 4 --nproc-per-node 8\n--num-layers "
                             "32\n--hidden-size 4096\n--num-attention-heads 32\n--seq-length "
                             "4096\n--micro-batch-size 1\n--vocab-size 32000\n"
                             "--position-embedding-type rope\n--bf16\n";
  const TemporaryFolder folder;
  for (const char* option : options)
    for (const char* value : badValues) {
      spill(folder.path / "args.txt", fmt::format("{}{} {}\n", launch, option, value));
      const Outcome read = dplc({"import", "megatron", "args.txt"}, folder.path);
      EXPECT_EQ(withoutAPlace(read.error), "") << option << " " << value;
    }
}
