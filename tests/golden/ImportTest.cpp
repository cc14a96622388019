//===- ImportTest.cpp - What emit megatron wrote comes back as an equal plan ------------------===//
#include "tests/golden/ImportedPlan.h"
#include "tests/golden/Runner.h"
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
using namespace dpl::test;

namespace {
Outcome emittedLaunch(const std::string& source, const std::string& launch) {
  std::vector<std::string> arguments{"emit", "megatron", source, "-o", launch};
  for (const std::string& word : ofFramework(source, "megatron"))
    arguments.push_back(word);
  return dplc(arguments);
}

class ImportLaunch : public testing::TestWithParam<const char*> {};
} // namespace

TEST_P(ImportLaunch, OfWhatWasEmitted_IsAnEqualPlan) {
  const TemporaryFolder folder;
  const std::string source = GetParam();
  const std::string launch = (folder.path / "launch").string(),
                    imported = (folder.path / "imported.dpl").string();
  const Outcome emitted = emittedLaunch(source, launch);
  ASSERT_EQ(emitted.exitCode, 0) << emitted.error;
  const Outcome read = dplc({"import", "megatron", launch + "/arguments.txt", "-o", imported});
  ASSERT_EQ(read.exitCode, 0) << read.error;
  EXPECT_NE(importedPlan(source).find("micro_batch = "), std::string::npos);
  EXPECT_EQ(refusedBy("megatron", imported), "");
  EXPECT_EQ(importedPlan(imported), importedPlan(source, {}, "megatron")) << slurp(imported);
}

INSTANTIATE_TEST_SUITE_P(
    Examples, ImportLaunch,
    testing::Values("examples/gpt3_175b_a100.dpl", "examples/llama3_70b_h100.dpl",
                    "examples/llama3_405b_h100.dpl", "examples/mixtral_8x22b_h100.dpl",
                    "examples/fsdp_hybrid_7b_two_sites.dpl", "examples/smallest.dpl",
                    "tests/conformance/plans/data_outside_pipeline.dpl",
                    "tests/conformance/plans/deepseek_v3.dpl",
                    "tests/conformance/plans/latent_experts.dpl",
                    "tests/conformance/plans/gpt_oss.dpl", "tests/conformance/plans/kimi_k2.dpl",
                    "tests/conformance/plans/nemotron4.dpl",
                    "tests/conformance/plans/sharded_replicas.dpl"));

namespace {

/// Models with facts of every kind that Megatron-LM can say.
class RandomModel {
public:
  explicit RandomModel(unsigned seed) : random(seed) {}

  std::string text() {
    const bool routed = oneIn(2), latent = oneIn(3), bias = !routed && oneIn(3),
               capacity = oneIn(2);
    std::string out =
        "import std.models\nimport std.clusters\nmodel drawn from models.decoder {\n"
        "  layers = 8, hidden = 1024, heads = 16, vocab = 32_000, context = 4096tok\n";
    out += "  norm = " + pick({"rms", "layer"}) + " { epsilon = " + pick({"1.0e-5", "1.0e-6"}) +
           ", zero_centered = " + pick({"true", "false"}) + " }\n";
    out += "  positions = " + positions(latent) + "\n";
    out += latent ? "  attention = mla { q_lora_rank = 256, kv_lora_rank = 128, qk_nope_head_dim = "
                    "64, qk_rope_head_dim = 32, "
                    "v_head_dim = 64 }\n"
                  : grouped();
    const std::string gate = pick({"silu", "quick_gelu, offset = 1.0, clamp = 7.0"});
    const bool gated = oneIn(2);
    const std::string plain =
        bias ? pick({"gelu", "gelu_tanh", "squared_relu"}) : pick({"gelu", "squared_relu"});
    const std::string activation = ", activation = " + (gated ? gate : plain);
    if (routed)
      out += "  ffn = experts { count = 16, top_k = " + pick({"1", "2", "4"}) +
             ", width = 512, gated = " + (gated ? "true" : "false") + activation +
             (capacity ? ", capacity_factor = 1.25" : "") + ", router { " + router(capacity) +
             " } }\n";
    else
      out += std::string("  ffn = ") + (gated ? "gated" : "plain") + " { width = 2048" +
             activation + " }\n";
    if (bias)
      out += "  bias = true\n";
    out += "  init_std = " + pick({"0.02", "0.006"}) + "\n}\n";
    return out +
           "cluster pod from clusters.dgx_h100 { nodes = 1 }\n"
           "layout plan for drawn on pod {\n  mesh { data = rest" +
           (routed ? ", experts { data = rest, expert = 2, tensor = 1 }" : "") +
           " }\n  batch = 16seq\n}\n";
  }

private:
  bool oneIn(unsigned n) { return random() % n == 0; }
  std::string pick(std::vector<std::string> of) { return of[random() % of.size()]; }

  std::string positions(bool latent) {
    const std::string base = "base = " + pick({"10_000.0", "500_000.0"});
    const std::string yarn =
        latent ? "yarn { factor = 40.0, original_context = 4096tok, mscale_all_dim = 1.0 }"
               : "yarn { factor = 32.0, original_context = 2048tok, beta_fast = 16.0, "
                 "truncate = false }";
    if (oneIn(6))
      return pick({"learned", "none"});
    if (latent)
      return "rotary { " + base + ", scaling = " + pick({"none", yarn}) + " }";
    return "rotary { " + base + ", fraction = " + pick({"1.0", "0.5"}) +
           ", scaling = " + pick({"none", "llama3", "linear { factor = 4.0 }", yarn}) + " }";
  }

  std::string grouped() {
    const std::string sinks = pick({"sinks = true", "sinks = false"});
    if (oneIn(2))
      return "  attention = grouped { " + sinks + " }\n";
    std::string out = "  attention = grouped { window = 1024tok, " + sinks + " }\n";
    const std::string whole = " { attention = grouped { " + sinks + " } }\n";
    return out + (oneIn(2) ? "  layer[3..<5]" + whole
                           : "  for i in [1, 3, 5, 7] { layer[i]" + whole + "  }\n");
  }

  std::string router(bool capacity) {
    const bool sigmoid = oneIn(2);
    std::string out = sigmoid ? "score_function = sigmoid" : "score_function = softmax";
    const std::string balance =
        pick({"aux_loss { coefficient = 0.01 }", "seq_aux_loss { coefficient = 0.001 }",
              "global_aux_loss { coefficient = 0.02 }", "none"});
    const bool bias = sigmoid && oneIn(2);
    out += bias && balance == "none" ? "" : ", balance = " + balance;
    out += bias ? ", bias_update_rate = 0.002" : "";
    out += oneIn(2) ? ", groups = 4, group_top_k = 2" : "";
    out += oneIn(2) ? ", scaling_factor = 2.5" : "";
    out += oneIn(2) ? ", precision = fp32" : "";
    out += oneIn(3) ? ", z_loss = 0.001" : "";
    out += oneIn(3) ? ", input_jitter = 0.01" : "";
    return out + (capacity && oneIn(2) ? ", drop_policy = position" : "");
  }

  std::mt19937 random;
};

} // namespace

TEST(ImportLaunch, OfRandomModels_IsTheSameModel) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const TemporaryFolder folder;
    const std::string source = (folder.path / "drawn.dpl").string(),
                      launch = (folder.path / "launch").string(),
                      imported = (folder.path / "imported.dpl").string();
    const std::string text = RandomModel(seed).text();
    std::ofstream(source) << text;
    const Outcome emitted = emittedLaunch(source, launch);
    ASSERT_EQ(emitted.exitCode, 0) << text << emitted.error;
    const Outcome read = dplc({"import", "megatron", launch + "/arguments.txt", "-o", imported});
    ASSERT_EQ(read.exitCode, 0) << text << read.error;
    EXPECT_EQ(importedPlan(imported), importedPlan(source, {}, "megatron"))
        << text << slurp(imported);
  }
}

TEST(ImportLine, OfACommand_IsTheImportOfAScriptWithIt) {
  const TemporaryFolder folder;
  const std::string command =
      "srun -N $NODES --ntasks-per-node 8 python -u pretrain_gpt.py --num-layers 4 --hidden-size "
      "512 "
      "--num-attention-heads 8 --seq-length 512 --max-position-embeddings 512 --vocab-size 32000 "
      "--micro-batch-size 1 --bf16 --data-path 'a b'";
  spill(folder.path / "run.sh", command + "\n");
  const Outcome script = dplc({"import", "megatron", "run.sh", "--define", "NODES=2"}, folder.path);
  const Outcome line =
      dplc({"import", "megatron", "--line", command, "--define", "NODES=2"}, folder.path);
  ASSERT_EQ(line.exitCode, 0) << line.error;
  EXPECT_NE(line.out.find("nodes = 2"), std::string::npos) << line.out;
  EXPECT_EQ(line.out.substr(line.out.find('\n')), script.out.substr(script.out.find('\n')));
}

TEST(ImportRun, OfAScript_IsTheImportOfWhatItStarts) {
  const TemporaryFolder folder; // which root gives to nobody
  fs::permissions(folder.path, fs::perms::others_read | fs::perms::others_exec,
                  fs::perm_options::add);
  spill(folder.path / "run.sh",
        "#!/bin/bash\n#SBATCH --nodes=2 --ntasks-per-node=8\nset -eu\nsource ./sizes.sh\nfor ((i = "
        "0; i "
        "< 3; i++)); do LAYERS=$((LAYERS + $(seq $i | wc -l))); done\nsrun bash -c \"python "
        "pretrain_gpt.py --num-layers $LAYERS --hidden-size $HIDDEN --num-attention-heads 8 "
        "--seq-length 512 --max-position-embeddings 512 --vocab-size 32000 --micro-batch-size 1 "
        "--bf16\"\n");
  spill(folder.path / "sizes.sh", "LAYERS=$(echo 1 + 0 | tr -d '+0 ') HIDDEN=$WIDTH\n");
  const Outcome followed = dplc({"import", "megatron", "run.sh"}, folder.path);
  EXPECT_EQ(followed.exitCode, 1);
  const Outcome ran =
      dplc({"import", "megatron", "run.sh", "--run", "--define", "WIDTH=512"}, folder.path);
  if (ran.error.find("DPL0818") != std::string::npos)
    GTEST_SKIP() << "no script is run on this machine: " << ran.error;
  ASSERT_EQ(ran.exitCode, 0) << ran.error;
  EXPECT_EQ(ran.error.rfind("`run.sh` is run under bubblewrap. What it sees and may use:\n", 0),
            0U);
  EXPECT_NE(ran.error.find("environment  PATH, WIDTH\n"), std::string::npos);
  EXPECT_NE(ran.out.find("layers = 4\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("hidden = 512\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("nodes = 2"), std::string::npos) << ran.out;
  const Outcome unset = dplc({"import", "megatron", "run.sh", "--run"}, folder.path);
  EXPECT_EQ(unset.exitCode, 1);
  EXPECT_NE(
      unset.error.find("error[DPL0819]: `run.sh` was run and cannot be imported: it reached no "
                       "launcher; it ended with status 1"),
      std::string::npos)
      << unset.error;
  EXPECT_NE(unset.error.find("WIDTH: unbound variable"), std::string::npos) << unset.error;
}
