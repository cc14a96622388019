//===- LaunchScriptsTest.cpp - Shell scripts that `import megatron` follows -------------------===//
#include "frontend/import/Megatron.h"
#include "frontend/import/megatron/OtherReleases.h"
#include "frontend/import/shell/Arithmetic.h"
#include "frontend/import/shell/Parameter.h"
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::imports;
using testing::HasSubstr;

namespace {

struct Imported {
  std::string text, messages, help;
};

Imported importOf(const std::string& script,
                  std::vector<std::pair<std::string, std::string>> defines = {}) {
  SourceManager sources;
  DiagnosticEngine diags;
  const std::uint32_t file = sources.add("run.sh", script);
  const LaunchImport request{sources, file, std::move(defines), {}, false, "clusters.dgx_h100"};
  const FailureOr<std::string> text = megatronLaunch(request, diags);
  Imported out;
  if (!text.failed())
    out.text = *text;
  for (const Diagnostic& d : diags.diagnostics())
    out.messages += std::string(d.info.code) + " " + d.message + "\n", out.help += d.help + "\n";
  return out;
}

const std::string model = " pretrain_gpt.py --num-layers 8 --hidden-size 512 "
                          "--num-attention-heads 8 --seq-length 512 --vocab-size 32000 "
                          "--micro-batch-size 1 ";

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i)
    out += text;
  return out;
}

struct Parameter {
  const char *value, *operation, *result;
};
class Parameters : public testing::TestWithParam<Parameter> {};

// What bash 5.2 gives.
TEST_P(Parameters, ChangeAsInAShell) {
  EXPECT_EQ(shell::changed(GetParam().value, GetParam().operation), GetParam().result);
}
INSTANTIATE_TEST_SUITE_P(
    Cases, Parameters,
    testing::Values(Parameter{"a/b/c", "#*/", "b/c"}, Parameter{"a/b/c", "##*/", "c"},
                    Parameter{"a/b/c", "%/*", "a/b"}, Parameter{"a/b/c", "%%/*", "a"},
                    Parameter{"a/b/c", "%x", "a/b/c"}, Parameter{"3_000_000", "//_", "3000000"},
                    Parameter{"3_000_000", "/_", "3000_000"}, Parameter{"aXbX", "/X/-", "a-bX"},
                    Parameter{"aXbX", "//X/-", "a-b-"}, Parameter{"aXbX", "/#a/-", "-XbX"},
                    Parameter{"aXbX", "/%X/-", "aXb-"}, Parameter{"aXbX", "/#X/-", "aXbX"},
                    Parameter{"llama_7B", "//[0-9]/n", "llama_nB"}, Parameter{"abc", "^", "Abc"},
                    Parameter{"abc", "^^", "ABC"}, Parameter{"ABC", ",,", "abc"},
                    Parameter{"abcdef", ":2", "cdef"}, Parameter{"abcdef", ":2:2", "cd"},
                    Parameter{"", "#*", ""}, Parameter{"ab", ":9", ""},
                    Parameter{"abc", ": -1", "c"}, Parameter{"abcdef", ": -3:2", "de"}));

TEST(Parameters, WhatIsNotKnown_IsNotGuessed) {
  EXPECT_EQ(shell::changed("abc", "@Q"), std::nullopt);
  EXPECT_EQ(shell::changed("abc", ": -4"), std::nullopt);
  EXPECT_EQ(shell::changed("abc", "^a"), std::nullopt);
  EXPECT_EQ(shell::changed(std::string(1000, 'a'), "#a"), std::nullopt);
}

TEST(ShellArithmetic, ComparesAndJoins) {
  const auto value = [](const char* text) { return *shell::evaluate(text); };
  EXPECT_EQ(value("2 * 3 >= 6 && 1 < 2"), 1);
  EXPECT_EQ(value("1 == 2 || ! 0"), 1);
  EXPECT_EQ(value("!(1 <= 2)"), 0);
  EXPECT_EQ(value("7 % 4 != 3"), 0);
  EXPECT_EQ(value("2 ** 22 / 4096 * 2 ** 3 ** 1"), 8192);
  EXPECT_EQ(value("10#08 + 16#ff - -1"), 264);
  EXPECT_TRUE(shell::evaluate("2 ** 64").failed());
  EXPECT_TRUE(shell::evaluate("2 ** -1").failed());
  EXPECT_TRUE(shell::evaluate("2 - --1").failed());
  EXPECT_TRUE(shell::evaluate("1 <").failed());
  EXPECT_TRUE(shell::evaluate("A = 2").failed());
  EXPECT_TRUE(shell::evaluate(std::string(200, '!') + "1").failed());
}

TEST(OtherReleases, ARowHoldsForItsValueAlone) {
  EXPECT_EQ(megatron::otherRelease("--DDP-impl", "local")->effect, megatron::OptionEffect::Without);
  EXPECT_EQ(megatron::otherRelease("--DDP-impl", "torch")->effect,
            megatron::OptionEffect::Performance);
  EXPECT_EQ(megatron::otherRelease("--DDP-impl", "fsdp"), nullptr);
  EXPECT_EQ(megatron::otherRelease("--my-option", ""), nullptr);
}

TEST(LaunchScripts, OptionsOfLogsTracesAndRestarts_DoNotStopAnImport) {
  const Imported out = importOf("torchrun" + model +
                                "--no-log-loss-scale-to-tensorboard --flight-recorder-dump-path /x "
                                "--inprocess-restart --inprocess-soft-timeout 60 "
                                "--dataloader-fast-cache-load --persistent-save-interval 100 "
                                "--moe-routing-trace-path /y --start-eval-at-iter 10\n");
  EXPECT_EQ(out.messages, "");
  EXPECT_THAT(out.text, HasSubstr("/// Not part of a plan: --dataloader-fast-cache-load, "));
  EXPECT_THAT(importOf("torchrun" + model + "--reset-attention-mask\n").messages,
              HasSubstr("DPL does not support `--reset-attention-mask`"));
}

TEST(LaunchScripts, WhatTheLaunchSaysItself_StandsBeforeWhatAnOlderOptionMeans) {
  const Imported out = importOf("torchrun" + model +
                                "--checkpoint-activations --recompute-method block "
                                "--recompute-num-layers 3\n");
  EXPECT_THAT(out.text, HasSubstr("recompute = full { method = block, layers = 3 }"));
}

TEST(LaunchScripts, ACountFromTheEnd_IsOfTheArguments) {
  const std::string script = "NODES=${@: -1}\ntorchrun --nnodes $NODES" + model + "\n";
  EXPECT_THAT(importOf(script).help, HasSubstr("`--define @=VALUES` says"));
  EXPECT_THAT(importOf(script, {{"@", "a 4"}}).text, HasSubstr("nodes = 4"));
}

TEST(LaunchScripts, AnArgumentBehindTheNinth_IsEmptyWhereFewerAreGiven) {
  const std::string script = "torchrun --nproc-per-node 8" + model + "--seed 1 ${12}\n";
  EXPECT_THAT(importOf(script, {{"@", "a"}}).text, HasSubstr("layers = 8"));
  EXPECT_THAT(importOf("torchrun --nproc-per-node ${12}" + model).help,
              HasSubstr("`--define @=VALUES` says it"));
}

TEST(LaunchScripts, WhatIsRefused_DoesNotWaitForWhatIsMissing) {
  const std::string part = " pretrain_gpt.py --num-layers 8 --hidden-size 512 --num-experts 8 "
                           "--num-attention-heads 8 --seq-length 512 --micro-batch-size 1 "
                           "--moe-enable-deepep --no-position-embedding ";
  const Imported out = importOf("torchrun --nproc-per-node 8" + part +
                                "--moe-router-topk 1 --pipeline-model-parallel-size 2 "
                                "--num-layers-per-virtual-pipeline-stage 3\n");
  for (const char* cause : {"`--vocab-size`", "DeepEP needs", "routing to one expert",
                            "it takes --no-position-embedding with", "8 layers do not divide"})
    EXPECT_THAT(out.messages, HasSubstr(cause));
  const Imported unknown = importOf("torchrun --nproc-per-node $N" + part +
                                    "--moe-router-topk $K --moe-token-dispatcher-type $T "
                                    "--pipeline-model-parallel-size 16\n");
  for (const char* guess : {"DeepEP needs", "routing to one expert", "are not a multiple"})
    EXPECT_THAT(unknown.messages, testing::Not(HasSubstr(guess)));
}

TEST(LaunchScripts, AnUnknownLauncher_IsNotTheOnlyCauseThatIsNamed) {
  const Imported out = importOf("msrun" + model + "--my-option\n");
  EXPECT_THAT(out.messages, HasSubstr("how many processes `msrun` starts is not known"));
  EXPECT_THAT(out.messages, HasSubstr("DPL does not support `--my-option`"));
}

TEST(LaunchScripts, APythonWithoutALauncher_AsksWhereItsDegreesNeedOne) {
  EXPECT_THAT(importOf("python" + model).text, HasSubstr("node.gpus = 1"));
  const Imported out = importOf("python" + model + "--tensor-model-parallel-size 4\n");
  EXPECT_THAT(out.messages, HasSubstr("DPL0815 the launch does not say on how many nodes"));
  EXPECT_THAT(importOf("RANK=$OMPI_COMM_WORLD_RANK\npython" + model).messages,
              HasSubstr("how many processes a node starts"));
}

TEST(LaunchScripts, Accelerate_SaysMachinesAndAllProcesses) {
  const Imported out =
      importOf("accelerate launch --multi_gpu --num_machines 2 --num_processes=8" + model);
  EXPECT_THAT(out.text, HasSubstr("{ nodes = 2, node.gpus = 4 }")) << out.messages;
  EXPECT_THAT(importOf("accelerate launch --config_file a.yaml" + model).help,
              HasSubstr("--define NNODES=NUMBER --define NPROC_PER_NODE=NUMBER"));
}

TEST(LaunchScripts, WhatIsWrittenToAFile_CountsWhereNothingElseStarts) {
  const std::string document = "cat > job.sh <<EOF\ntorchrun --nnodes 3" + model + "\nEOF\n";
  EXPECT_THAT(importOf(document).text, HasSubstr("nodes = 3"));
  EXPECT_THAT(importOf(document + "torchrun --nnodes 5" + model).text, HasSubstr("nodes = 5"));
}

TEST(LaunchScripts, ALoopWhoseEndNobodyKnows_IsADoubt) {
  const Imported out = importOf("for N in $NODES; do TP=$N; done\ntorchrun" + model +
                                "--tensor-model-parallel-size $TP\n");
  EXPECT_THAT(out.messages, HasSubstr("DPL0812 `for` sets a variable"));
  const Imported left = importOf("for N in 1 2; do TP=$N; break; done\ntorchrun" + model +
                                 "--tensor-model-parallel-size $TP\n");
  EXPECT_THAT(left.messages, HasSubstr("DPL0812 `for` sets a variable"));
}

TEST(LaunchScripts, PartsOfArraysAndArguments_AreThoseOfAShell) {
  const auto tensor = [](const std::string& words) {
    return importOf("A=(--fp16 --tensor-model-parallel-size 4 --bf16)\ntorchrun "
                    "--nproc-per-node 8" +
                        model + words + "\n",
                    {{"@", "--x --tensor-model-parallel-size 2 --bf16"}})
        .text;
  };
  EXPECT_THAT(tensor("${A[@]:1}"), HasSubstr("tensor = 4"));
  EXPECT_THAT(tensor("\"${A[@]:1:2}\""), HasSubstr("tensor = 4"));
  EXPECT_THAT(tensor("\"${@:2}\""), HasSubstr("tensor = 2"));
  EXPECT_THAT(tensor("${@:2:2}"), HasSubstr("tensor = 2"));
  EXPECT_THAT(tensor("\"${@:9}\" \"${A[@]:9}\""), HasSubstr("data = 8"));
  EXPECT_THAT(importOf("torchrun" + model + "\"${@}\"\n", {{"@", ""}}).text,
              HasSubstr("nodes = 1"));
}

TEST(LaunchScripts, AllThatIsMissing_IsAskedForAtOnce) {
  const Imported out = importOf("source $HOME/env.sh\nTP=1\nsource more.sh\nsrun python"
                                " pretrain_gpt.py --num-layers 8 --hidden-size 512 "
                                "--num-attention-heads 8 --seq-length 512 --micro-batch-size 1 "
                                "--tensor-model-parallel-size $TP $EXTRA --fp8-recipe none\n");
  EXPECT_THAT(out.messages, HasSubstr("DPL0812 `source` sets a variable"));
  EXPECT_THAT(out.messages, HasSubstr("DPL0815 the launch does not say"));
  EXPECT_THAT(out.messages, HasSubstr("DPL0814 `--fp8-recipe` is `none`"));
  EXPECT_THAT(out.help, HasSubstr("`--define TP=VALUE --define NNODES=NUMBER --define "
                                  "NPROC_PER_NODE=NUMBER --define EXTRA=VALUE --define "
                                  "VOCAB_SIZE=NUMBER` says all of it"));
}

// Each ends within the bounds of turns, of what they read, and of what a pattern is matched with.
TEST(LaunchScripts, NoScriptRunsForEver) {
  const std::string end = "torchrun" + model + "--tensor-model-parallel-size $TP\n";
  const std::string scripts[] = {
      "TP=1\nwhile true; do TP=2; done\n",
      "TP=1\nwhile [ $TP -gt 0 ]; do TP=2; done\n",
      "f() { TP=1; f; f; }\nf\n",
      "f() { g; g; }\ng() { TP=1; f; f; }\nf\n",
      "for A in " + repeated("1 ", 900) + "; do for B in " + repeated("1 ", 900) +
          "; do TP=1; done; done\n",
      "for A in " + repeated("1 ", 3000) + "; do\n" + repeated("TP=$A\n", 5'000) + "done\n",
      "X=" + std::string(500, 'a') + "\nTP=${X//" + repeated("*a", 20) + "b/c}\n",
      "X=" + std::string(500, 'a') + "\nif [[ $X == " + repeated("*a", 20) +
          "b ]]; then TP=1; fi\n",
      repeated("cat <<A\n.py\n", 5'000),
      repeated("sbatch <<A\npython $X.py\nA\n", 5'000),
      repeated("if [[ -n $X ]]; then\nTP=$TP1\n", 3'000),
      repeated("$X pretrain.py.$Y\n", 5'000)};
  for (const std::string& script : scripts) {
    const Imported out = importOf(script + end);
    EXPECT_TRUE(!out.messages.empty() || !out.text.empty()) << script.substr(0, 60);
    EXPECT_LE(std::count(out.messages.begin(), out.messages.end(), '\n'), 3) << out.messages;
  }
}

} // namespace

TEST(LaunchScripts, WhatIsNeeded_IsWhatTheValueIsNot) {
  EXPECT_EQ(
      importOf("torchrun" + model + "--tensor-model-parallel-size 99999999999999999999").messages,
      "DPL0814 `--tensor-model-parallel-size` is `99999999999999999999`, needed a whole "
      "number below 2^64\n");
  EXPECT_EQ(importOf("torchrun" + model + "--num-experts 8 --moe-router-dtype fp64").messages,
            "DPL0814 `--moe-router-dtype` is `fp64`, needed `fp32`\n");
}

TEST(LaunchScripts, AnArrayThatGrowsInABranch_AddsNothingWhereNoWordOfItMeansAnything) {
  const auto added = [](const std::string& line) {
    return importOf("A=(" + model + ")\nif [ -n $X ]; then\n" + line + "\nfi\ntorchrun ${A[@]}\n")
        .messages;
  };
  EXPECT_EQ(added("A+=(--wandb-project x)\nA+=(--log-interval 1)"), "");
  EXPECT_NE(added("A+=(--wandb-project x)\nA+=(--bf16)\nA+=(--log-interval 1)"), "");
  EXPECT_NE(added("A+=(--bf16)\nA=(" + model + ")"), "") << "a value between was another";
}

TEST(LaunchScripts, WhatAScriptNames_StaysInItsComment) {
  const Imported out = importOf("torchrun" + model +
                                "--max-position-embeddings 512 --wandb-'a\nlet x = 1' 2 "
                                "--tokenizer-type 'b\nlet y = 1'\n");
  EXPECT_THAT(out.text, HasSubstr("--wandb-a?let x "));
  EXPECT_THAT(out.text, HasSubstr("b?let y = 1 counts"));
  EXPECT_THAT(out.text, testing::Not(HasSubstr("\nlet")));
}
