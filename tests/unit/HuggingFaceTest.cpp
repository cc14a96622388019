//===- HuggingFaceTest.cpp - Models imported from config.json -------------------------------===//
#include "imports/HuggingFace.h"
#include "cost/CostModel.h"
#include "frontend/Frontend.h"
#include "frontend/ParsedFiles.h"
#include <gmock/gmock.h>

using namespace dpl;
using testing::HasSubstr;
using testing::Not;

namespace {

struct Import {
  std::string text, error;
};
Import import(const std::string& json, const std::string& name = "", const std::string& as = "") {
  SourceManager sources;
  DiagnosticEngine diags;
  const std::uint32_t file = sources.add("config.json", json);
  const FailureOr<std::string> text = imports::huggingFaceModel(sources, file, name, as, diags);
  Import out{text.failed() ? "" : *text, ""};
  for (const Diagnostic& d : diags.diagnostics())
    out.error += std::string(d.info.code) + " " + sources.text(d.range).str() + ": " + d.message +
                 (d.help.empty() ? "" : " [" + d.help + "]") + "\n";
  return out;
}

/// The imported model through the whole front end.
ir::Model modelOf(const std::string& json) {
  const Import imported = import(json, "m");
  EXPECT_EQ(imported.error, "");
  SourceManager sources;
  DiagnosticEngine diags;
  FrontendOptions options;
  const FileReader reader = [&](const std::string&, std::string& into, std::string&) {
    into = imported.text + "import std.clusters\ncluster c from clusters.dgx_h100 { nodes = 1 }\n"
                           "layout l for m on c {\n  batch = 8seq\n  mesh { data = 8 }\n}\n";
    return FileProblem::None;
  };
  ParsedFiles files(sources, reader);
  Compilation compilation(files, diags, options);
  FailureOr<CompiledFile> file = compilation.compile("import.dpl");
  for (const Diagnostic& d : diags.diagnostics())
    ADD_FAILURE() << d.info.code << ": " << d.message << "\n" << imported.text;
  return file.failed() || file->plans.empty() ? ir::Model() : file->plans.front().model;
}

/// Shapes are those of the released config.json; the counts are what the source states.
struct Published {
  const char* name;
  const char* config;
  double parameters;
  const char* source;
};
std::ostream& operator<<(std::ostream& out, const Published& p) { return out << p.name; }

const Published published[] = {
    {"gpt2_small", R"({"model_type": "gpt2"})", 124e6, "openai/gpt-2, README, model 124M"},
    {"gpt2_xl", R"({"model_type": "gpt2", "n_embd": 1600, "n_layer": 48, "n_head": 25})", 1558e6,
     "openai/gpt-2, README, model 1558M"},
    {"llama_13b", R"({"model_type": "llama", "hidden_size": 5120, "intermediate_size": 13824,
      "num_hidden_layers": 40, "num_attention_heads": 40})",
     13.0e9, "arXiv 2302.13971, table 2"},
    {"llama_65b", R"({"model_type": "llama", "hidden_size": 8192, "intermediate_size": 22016,
      "num_hidden_layers": 80, "num_attention_heads": 64})",
     65.2e9, "arXiv 2302.13971, table 2"},
    {"llama3_8b", R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
      "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
      "vocab_size": 128256, "max_position_embeddings": 8192})",
     8.03e9, "model page meta-llama/Meta-Llama-3-8B"},
    {"llama3_405b", R"({"model_type": "llama", "hidden_size": 16384, "intermediate_size": 53248,
      "num_hidden_layers": 126, "num_attention_heads": 128, "num_key_value_heads": 8,
      "vocab_size": 128256, "max_position_embeddings": 131072,
      "rope_scaling": {"factor": 8.0, "rope_type": "llama3"}, "torch_dtype": "bfloat16"})",
     405e9, "arXiv 2407.21783, table 3"},
    {"mistral_7b", R"({"model_type": "mistral", "max_position_embeddings": 32768})", 7.24e9,
     "model page mistralai/Mistral-7B-v0.1"},
    {"mixtral_8x7b", R"({"model_type": "mixtral", "num_local_experts": 8, "sliding_window": null,
      "max_position_embeddings": 32768})",
     46.7e9, "mistral.ai/news/mixtral-of-experts"},
    {"mixtral_8x22b", R"({"model_type": "mixtral", "hidden_size": 6144, "intermediate_size": 16384,
      "num_hidden_layers": 56, "num_attention_heads": 48, "max_position_embeddings": 65536})",
     141e9, "mistral.ai/news/mixtral-8x22b"},
    {"qwen2_5_7b", R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944,
      "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
      "vocab_size": 152064, "use_sliding_window": false, "sliding_window": 131072})",
     7.61e9, "model page Qwen/Qwen2.5-7B"},
    {"qwen2_5_72b", R"({"model_type": "qwen2", "hidden_size": 8192, "intermediate_size": 29568,
      "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8,
      "vocab_size": 152064})",
     72.7e9, "model page Qwen/Qwen2.5-72B"},
    {"qwen1_5_moe", R"({"model_type": "qwen2_moe"})", 14.3e9,
     "qwenlm.github.io/blog/qwen-moe, Qwen1.5-MoE-A2.7B"},
    {"qwen3_8b", R"({"model_type": "qwen3", "hidden_size": 4096, "intermediate_size": 12288,
      "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8,
      "max_position_embeddings": 40960, "sliding_window": null, "dtype": "bfloat16",
      "rope_parameters": {"rope_theta": 1000000, "rope_type": "default"}})",
     8.2e9, "model page Qwen/Qwen3-8B"},
    {"qwen3_32b", R"({"model_type": "qwen3", "hidden_size": 5120, "intermediate_size": 25600,
      "num_hidden_layers": 64, "num_attention_heads": 64, "num_key_value_heads": 8})",
     32.8e9, "model page Qwen/Qwen3-32B"},
    {"qwen3_30b_a3b", R"({"model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48,
      "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "num_experts": 128,
      "moe_intermediate_size": 768, "mlp_only_layers": []})",
     30.5e9, "model page Qwen/Qwen3-30B-A3B"},
    {"qwen3_235b_a22b", R"({"model_type": "qwen3_moe", "hidden_size": 4096,
      "num_hidden_layers": 94, "num_attention_heads": 64, "num_key_value_heads": 4,
      "head_dim": 128, "num_experts": 128, "moe_intermediate_size": 1536})",
     235e9, "model page Qwen/Qwen3-235B-A22B"},
    {"deepseek_v2", R"({"model_type": "deepseek_v2", "hidden_size": 5120,
      "intermediate_size": 12288, "moe_intermediate_size": 1536, "num_hidden_layers": 60,
      "num_attention_heads": 128, "n_routed_experts": 160, "n_shared_experts": 2,
      "num_experts_per_tok": 6, "first_k_dense_replace": 1, "q_lora_rank": 1536})",
     236e9, "arXiv 2405.04434, abstract"},
    {"deepseek_v2_lite", R"({"model_type": "deepseek_v2", "hidden_size": 2048,
      "intermediate_size": 10944, "moe_intermediate_size": 1408, "num_hidden_layers": 27,
      "num_attention_heads": 16, "n_routed_experts": 64, "n_shared_experts": 2,
      "num_experts_per_tok": 6, "first_k_dense_replace": 1, "q_lora_rank": null})",
     15.7e9, "arXiv 2405.04434, appendix B"},
    {"deepseek_v3", R"({"model_type": "deepseek_v3", "num_nextn_predict_layers": 1,
      "max_position_embeddings": 163840})",
     671e9, "arXiv 2412.19437, abstract"},
    {"gemma_7b", R"({"model_type": "gemma"})", 786'825'216.0 + 7'751'248'896.0,
     "arXiv 2403.08295, table 2"},
    {"gemma2_9b", R"({"model_type": "gemma2", "hidden_size": 3584, "intermediate_size": 14336,
      "num_hidden_layers": 42, "num_attention_heads": 16, "num_key_value_heads": 8})",
     917'962'752.0 + 8'324'201'984.0, "arXiv 2408.00118, table 2"},
    {"gemma2_27b", R"({"model_type": "gemma2", "hidden_size": 4608, "intermediate_size": 36864,
      "num_hidden_layers": 46, "num_attention_heads": 32, "num_key_value_heads": 16,
      "head_dim": 128})",
     1'180'237'824.0 + 26'047'480'320.0, "arXiv 2408.00118, table 2"},
    {"gemma3_1b", R"({"model_type": "gemma3_text", "vocab_size": 262144, "hidden_size": 1152,
      "intermediate_size": 6912, "num_attention_heads": 4, "num_key_value_heads": 1})",
     302e6 + 698e6, "arXiv 2503.19786, table 1"},
};

class HuggingFaceModels : public testing::TestWithParam<Published> {};

} // namespace

TEST_P(HuggingFaceModels, HaveTheirPublishedParameters) {
  const ir::Model model = modelOf(GetParam().config);
  EXPECT_NEAR(cost::totalParameters(model), GetParam().parameters, 0.005 * GetParam().parameters)
      << GetParam().source;
}
INSTANTIATE_TEST_SUITE_P(Published, HuggingFaceModels, testing::ValuesIn(published),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(HuggingFace, TheName_IsThatOfTheFileOrOfTheCaller) {
  const char* config = R"({"model_type": "llama", "_name_or_path": "meta-llama/Llama-3.1-8B"})";
  EXPECT_THAT(import(config).text, HasSubstr("\nmodel llama_3_1_8b from models.decoder {\n"));
  EXPECT_THAT(import(config, "mine").text, HasSubstr("\nmodel mine from"));
  EXPECT_THAT(import(R"({"model_type": "llama", "_name_or_path": "a\n} evil {"})").text,
              HasSubstr("\nmodel a___evil__ from"));
}
TEST(HuggingFace, AWindowOfNull_IsNoWindow) {
  EXPECT_THAT(import(R"({"model_type": "mistral"})").text, HasSubstr("window = 4096tok"));
  EXPECT_THAT(import(R"({"model_type": "mistral", "sliding_window": null})").text,
              Not(HasSubstr("window")));
}
TEST(HuggingFace, WindowsOfQwen_BeginAtALayer) {
  const ir::Model model = modelOf(R"({"model_type": "qwen2", "use_sliding_window": true,
                                      "num_hidden_layers": 32, "max_window_layers": 28})");
  EXPECT_EQ(model.classes[model.runs.front().layerClass].attention.window, 0U);
  EXPECT_EQ(model.runs.front().count, 28U);
  EXPECT_EQ(model.classes[model.runs.back().layerClass].attention.window, 4096U);
}
TEST(HuggingFace, LayerTypes_SayWhichLayersHaveAWindow) {
  const ir::Model model = modelOf(
      R"({"model_type": "gemma3_text", "num_hidden_layers": 3, "layer_types":
          ["sliding_attention", "full_attention", "sliding_attention"]})");
  ASSERT_EQ(model.runs.size(), 3U);
  EXPECT_EQ(model.classes[model.runs[1].layerClass].attention.window, 0U);
}
TEST(HuggingFace, AModelWithImages_GivesItsTextPart) {
  EXPECT_THAT(import(R"({"model_type": "gemma3", "text_config": {"num_hidden_layers": 34}})").text,
              HasSubstr("layers = 34"));
}
TEST(HuggingFace, DenseLayersAmongExperts_AreTheListedOnes) {
  const ir::Model model = modelOf(
      R"({"model_type": "qwen3_moe", "num_hidden_layers": 6, "decoder_sparse_step": 2,
          "mlp_only_layers": [1]})");
  std::vector<bool> routed;
  for (const ir::LayerRun& run : model.runs)
    routed.insert(routed.end(), run.count,
                  model.classes[run.layerClass].feedForward.kind == ir::FeedForwardKind::Experts);
  EXPECT_EQ(routed, (std::vector<bool>{false, false, false, true, false, true}));
}
TEST(HuggingFace, AnUnknownArchitecture_ListsWhatIsMissing) {
  const std::string error = import(R"({"model_type": "mamba2", "hidden_size": 64})").error;
  EXPECT_THAT(error, HasSubstr("DPL0802 \"model_type\": `mamba2` is no architecture"));
  EXPECT_THAT(error, HasSubstr("it lacks `num_hidden_layers`, `intermediate_size`"));
  EXPECT_THAT(error, Not(HasSubstr("`hidden_size`")));
}
TEST(HuggingFace, ReadAsAnother_IsAPlainDecoder) {
  EXPECT_EQ(import(R"({"model_type": "mine", "hidden_size": 64})", "", "llama").error, "");
}
TEST(HuggingFace, AValueOfAnotherType_IsReportedAtItsKey) {
  EXPECT_EQ(import(R"({"model_type": "llama", "hidden_size": -1})").error,
            "DPL0803 \"hidden_size\": `hidden_size` is -1, a whole number from 0 to 2^32 is "
            "needed\n");
}
TEST(HuggingFace, WhatIsNoJson_IsOneError) {
  EXPECT_EQ(import("{\"model_type\": \"llama\",").error, "DPL0801 : the JSON ends too early\n");
  EXPECT_EQ(import("{'a': 1}").error, "DPL0801 ': this is no JSON\n");
  EXPECT_EQ(import("[]").error, "DPL0801 : a JSON object is needed\n");
  EXPECT_EQ(import(std::string(100'000, '[')).error,
            "DPL0801 : it nests deeper than any configuration\n");
}
