//===- HuggingFaceTest.cpp - Models imported from config.json ---------------------------------===//
#include "frontend/import/HuggingFace.h"
#include "cost/compute/LayerCost.h"
#include "frontend/Frontend.h"
#include "frontend/import/huggingface/Architectures.h"
#include "frontend/sema/ParsedFiles.h"
#include "support/Json.h"
#include "tests/SourceFolder.h"
#include <fstream>
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

/// Those of the rows, and what has one of them as its text part.
std::vector<std::string> kindsThatAreRead() {
  std::vector<std::string> kinds;
  for (const imports::Architecture& row : imports::architectures())
    kinds.emplace_back(row.type);
  for (const imports::RenamedKey& kind : imports::textKinds())
    if (imports::findArchitecture(kind.ours))
      kinds.emplace_back(kind.theirs);
  return kinds;
}

/// The imported model through the whole front end.
ir::Model modelOf(const std::string& json) {
  const Import imported = import(json, "m");
  EXPECT_EQ(imported.error, "");
  SourceManager sources;
  DiagnosticEngine diags;
  FrontendOptions options;
  const FileReader reader = [&](const std::string&) -> FileText {
    return imported.text + "import std.clusters\ncluster c from clusters.dgx_h100 { nodes = 1 }\n"
                           "layout l for m on c {\n  batch = 8seq\n  mesh { data = 8 }\n}\n";
  };
  ParsedFiles files(sources, reader);
  Compilation compilation(files, diags, options);
  FailureOr<CompiledFile> file = compilation.compile("import.dpl");
  for (const Diagnostic& d : diags.diagnostics())
    ADD_FAILURE() << d.info.code << ": " << d.message << "\n" << imported.text;
  return file.failed() || file->plans.empty() ? ir::Model() : file->plans.front().model;
}

/// A released model: shapes are those of its config.json, without what its kind has anyhow; the
/// count is what the source states, of the text part where a model also sees.
struct Published {
  std::string name, config, source;
  double parameters = 0;
};
std::ostream& operator<<(std::ostream& out, const Published& p) { return out << p.name; }

std::vector<Published> published() {
  std::ifstream file(test::sourceFolder() / "tests/unit/data/published_models.jsonl");
  std::vector<Published> out;
  for (std::string line; std::getline(file, line);) {
    const Json row = Json::parse(line);
    out.push_back({row["name"].str(), row["config"].dump(), row["source"].str(),
                   row["parameters"].get<double>()});
  }
  return out;
}

class HuggingFaceModels : public testing::TestWithParam<Published> {};

} // namespace

TEST_P(HuggingFaceModels, HaveTheirPublishedParameters) {
  const ir::Model model = modelOf(GetParam().config);
  EXPECT_NEAR(cost::totalParameters(model), GetParam().parameters, 0.005 * GetParam().parameters)
      << GetParam().source;
}
INSTANTIATE_TEST_SUITE_P(Published, HuggingFaceModels, testing::ValuesIn(published()),
                         [](const auto& info) { return info.param.name; });

// Blocks of layers that overlap would be an error of the file.
TEST(HuggingFace, LayersWithoutWindowAndExperts_HaveOneBlock) {
  const ir::Model model = modelOf(R"({"model_type": "qwen2_moe", "use_sliding_window": true,
      "num_hidden_layers": 12, "max_window_layers": 10, "mlp_only_layers": [0, 5, 11],
      "sliding_window": 4096})");
  EXPECT_EQ(model.layer(0).attention.window, 0U);
  EXPECT_EQ(model.layer(0).feedForward.experts, 0U);
  EXPECT_EQ(model.layer(1).attention.window, 0U);
  EXPECT_EQ(model.layer(1).feedForward.experts, 60U);
  EXPECT_EQ(model.layer(10).attention.window, 4096U);
  EXPECT_EQ(model.layer(11).attention.window, 4096U);
  EXPECT_EQ(model.layer(11).feedForward.experts, 0U);
}

TEST(HuggingFace, LayersThatDifferInBothOrOne_AreNamedOnce) {
  const std::string text = import(R"({"model_type": "qwen2_moe", "use_sliding_window": true,
      "num_hidden_layers": 8, "max_window_layers": 4, "mlp_only_layers": [0, 5],
      "sliding_window": 1024})")
                               .text;
  EXPECT_THAT(text, HasSubstr("  layer[0] { attention = grouped, ffn = gated { width = 5632 } }\n"
                              "  layer[1..<4] { attention = grouped }\n"
                              "  layer[5] { ffn = gated { width = 5632 } }\n"));
}

TEST(HuggingFace, ScalingOfPositions_IsThatOfTheClassWhereTheFileSaysNothing) {
  EXPECT_THAT(
      import(R"({"model_type": "gpt_oss"})").text,
      HasSubstr("scaling = yarn { factor = 32.0, original_context = 4096tok, truncate = false }"));
  for (const char* said :
       {R"("rope_parameters": {"rope_type": "default"})", R"("rope_scaling": {"type": "default"})"})
    EXPECT_THAT(import(std::string(R"({"model_type": "gpt_oss", )") + said + "}").text,
                Not(HasSubstr("scaling")));
}

TEST(HuggingFace, AFileThatIsTooMuch_IsRefusedBeforeItIsBuilt) {
  const auto file = [](const std::string& what) {
    return R"({"model_type": "llama", )" + what + "}";
  };
  std::string keys, values, levels;
  for (int i = 0; i < 5'000; ++i)
    keys += "\"k" + std::to_string(i) + "\": 1, ";
  EXPECT_THAT(import(file(keys + R"("last": 1)")).error,
              HasSubstr("DPL0801 : an object has more than 4096 keys"));
  for (int i = 0; i < 100'000; ++i)
    values += "1,";
  EXPECT_THAT(import(file(R"("a": [)" + values + "1]")).error,
              HasSubstr("DPL0801 : it has more than 100000 values"));
  EXPECT_THAT(import(file(R"("a": ")" + std::string(1 << 20, 'x') + '"')).error,
              HasSubstr("a file of settings at most 1048576"));
  EXPECT_THAT(import(std::string(65, '[') + std::string(65, ']')).error,
              HasSubstr("DPL0801 : it is nested too deeply"));
}

TEST(HuggingFace, AFileWithoutAKind_IsToldSo) {
  EXPECT_THAT(
      import(R"({"hidden_size": 64})").error,
      HasSubstr("DPL0801 : the file has no `model_type`, which names the architecture [to be read "
                "as a plain decoder (`--as llama`) it lacks"));
}

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
  EXPECT_EQ(model.layerTypes[model.runs.front().layerType].attention.window, 0U);
  EXPECT_EQ(model.runs.front().count, 28U);
  EXPECT_EQ(model.layerTypes[model.runs.back().layerType].attention.window, 4096U);
}
TEST(HuggingFace, LayerTypes_SayWhichLayersHaveAWindow) {
  const ir::Model model = modelOf(
      R"({"model_type": "gemma3_text", "num_hidden_layers": 3, "layer_types":
          ["sliding_attention", "full_attention", "sliding_attention"]})");
  ASSERT_EQ(model.runs.size(), 3U);
  EXPECT_EQ(model.layerTypes[model.runs[1].layerType].attention.window, 0U);
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
                  model.layerTypes[run.layerType].feedForward.kind == ir::FeedForwardKind::Experts);
  EXPECT_EQ(routed, (std::vector<bool>{false, false, false, true, false, true}));
}
TEST(HuggingFace, AnUnknownArchitecture_ListsWhatIsMissing) {
  const std::string error = import(R"({"model_type": "mine", "hidden_size": 64})").error;
  EXPECT_THAT(error, HasSubstr("DPL0802 \"model_type\": `mine` is not an architecture"));
  EXPECT_THAT(error, HasSubstr("it lacks `num_hidden_layers`, `intermediate_size`"));
  EXPECT_THAT(error, Not(HasSubstr("`hidden_size`")));
}
TEST(HuggingFace, ReadAsAnother_NeedsTheWholeShape) {
  const char* whole = R"({"model_type": "mine", "num_hidden_layers": 2, "hidden_size": 64,
      "intermediate_size": 128, "num_attention_heads": 4, "vocab_size": 100,
      "max_position_embeddings": 64})";
  EXPECT_EQ(import(whole, "", "llama").error, "");
  EXPECT_THAT(import(R"({"model_type": "mine", "hidden_size": 64})", "", "llama").error,
              HasSubstr("DPL0805 : the file is not a `llama`: it lacks `num_hidden_layers`, "
                        "`intermediate_size`, `num_attention_heads`"));
  EXPECT_EQ(import(R"({"model_type": "llama"})", "", "llama").error, "") << "it says so itself";
}
TEST(HuggingFace, WhatNoModelIs_IsRefusedWithTheReason) {
  for (const imports::UnsupportedArchitecture& kind : imports::unsupportedArchitectures())
    for (const llvm::StringRef name : kind.types()) {
      const std::string type = name.str();
      EXPECT_THAT(import("{\"model_type\": \"" + type + "\"}").error,
                  HasSubstr("DPL0804 \"model_type\": a `" + type +
                            "` cannot be described in the language: " + kind.reason));
      EXPECT_EQ(imports::findArchitecture(type), nullptr) << type;
    }
  EXPECT_THAT(import(R"({"model_type": "gemma4", "text_config": {"hidden_size": 8}})").error,
              HasSubstr("embeddings of their own"));
  EXPECT_THAT(import(R"({"model_type": "minimax_m2", "num_hidden_layers": 2,
                         "attn_type_list": [0, 1]})")
                  .error,
              HasSubstr("DPL0803 \"attn_type_list\""));
  EXPECT_THAT(import(R"({"model_type": "opt", "word_embed_proj_dim": 512})").error,
              HasSubstr("DPL0803 \"word_embed_proj_dim\": `word_embed_proj_dim` is 512"));
}
TEST(HuggingFace, KindsThatAreKnown_StandInTheManual) {
  std::ifstream file(test::sourceFolder() / "docs/targets/import.md");
  const std::string manual{std::istreambuf_iterator<char>(file), {}};
  std::ifstream page(test::sourceFolder() / "docs/explain/DPL0802.md");
  const std::string explained{std::istreambuf_iterator<char>(page), {}};
  for (const std::string& type : kindsThatAreRead()) {
    EXPECT_THAT(manual, HasSubstr("`" + type + "`"));
    EXPECT_THAT(explained, HasSubstr("`" + type + "`"));
    EXPECT_EQ(import("{\"model_type\": \"" + type + "\"}").error, "") << type;
  }
  for (const imports::UnsupportedArchitecture& kind : imports::unsupportedArchitectures())
    for (const llvm::StringRef type : kind.types())
      EXPECT_THAT(manual, HasSubstr("`" + type.str() + "`"));
}
TEST(HuggingFace, ThePartThatReads_IsNamedAndTiedAsTheWhole) {
  const std::string tied = import(R"({"model_type": "qwen3_vl", "tie_word_embeddings": true,
      "text_config": {"model_type": "qwen3_vl_text", "hidden_size": 2560}})")
                               .text;
  EXPECT_THAT(tied, HasSubstr("/// This is the text part only"));
  EXPECT_THAT(tied, HasSubstr("hidden = 2560"));
  EXPECT_THAT(tied, HasSubstr("tied_embeddings = true"));
}
TEST(HuggingFace, InfinityAndNaN_AreTextsWhereTheyAreRead) {
  EXPECT_EQ(import(R"({"model_type": "llama", "limits": [0.0, Infinity, -Infinity, NaN],
                       "note": "NaN \" Infinity"})")
                .error,
            "");
  EXPECT_EQ(import(R"({"model_type": "llama", "hidden_size": NaN})").error,
            "DPL0803 \"hidden_size\": `hidden_size` is \"NaN\", a whole number from 0 to 2^32 is "
            "needed\n");
  EXPECT_EQ(import(R"({"a": Infinity, "b": x})").error, "DPL0801 x: this is not JSON\n");
}
TEST(HuggingFace, FalconsHeads_AreOneWhereNothingElseIsSaid) {
  EXPECT_THAT(import(R"({"model_type": "falcon"})").text, HasSubstr("kv_heads = 1\n"));
  EXPECT_THAT(import(R"({"model_type": "falcon", "n_head": 32, "n_layer": 2, "hidden_size": 1024,
                         "multi_query": false})")
                  .text,
              HasSubstr("heads = 32\n"));
  EXPECT_THAT(import(R"({"model_type": "falcon", "num_attention_heads": 128, "hidden_size": 8192,
                         "num_kv_heads": 8, "new_decoder_architecture": true})")
                  .text,
              HasSubstr("heads = 128, kv_heads = 8\n"));
}
TEST(HuggingFace, PositionsThatAreDistances_AreAlibi) {
  EXPECT_THAT(import(R"({"model_type": "bloom"})").text,
              AllOf(HasSubstr("positions = alibi"), HasSubstr("embedding_norm = true")));
  EXPECT_THAT(import(R"({"model_type": "falcon", "alibi": true})").text,
              HasSubstr("positions = alibi"));
  EXPECT_THAT(import(R"({"model_type": "falcon"})").text, Not(HasSubstr("positions")));
}
TEST(HuggingFace, BlocksBesideEachOther_HaveTheNormsOfTheirKind) {
  const auto blocks = [](const std::string& json) {
    const std::string text = import(json).text;
    const std::size_t at = text.find("blocks = ");
    return at == std::string::npos ? "" : text.substr(at + 9, text.find('\n', at) - at - 9);
  };
  EXPECT_EQ(blocks(R"({"model_type": "phi"})"), "parallel");
  EXPECT_EQ(blocks(R"({"model_type": "gpt_neox"})"), "parallel { norms = 2 }");
  EXPECT_EQ(blocks(R"({"model_type": "gpt_neox", "use_parallel_residual": false})"), "");
  EXPECT_EQ(blocks(R"({"model_type": "falcon"})"), "parallel");
  EXPECT_EQ(blocks(R"({"model_type": "falcon", "parallel_attn": false})"), "");
  const std::string later = R"({"model_type": "falcon", "hidden_size": 8192, "n_head": 128,
                                "num_kv_heads": 8, "new_decoder_architecture": true)";
  EXPECT_EQ(blocks(later + "}"), "parallel { norms = 2 }");
  EXPECT_EQ(blocks(later + R"(, "num_ln_in_parallel_attn": 1})"), "parallel");
}
TEST(HuggingFace, ParametersOfGptNeoX20B_AreThosePublished) {
  // arXiv 2204.06745, table 1: 20,554,567,680, with two norms a layer and untied embeddings.
  EXPECT_EQ(cost::totalParameters(modelOf(R"({"model_type": "gpt_neox"})")), 20'554'567'680.0);
}
TEST(HuggingFace, Dropout_IsTheFilesOrTheKinds) {
  EXPECT_THAT(import(R"({"model_type": "gpt2"})").text,
              HasSubstr("dropout { attention = 0.1, hidden = 0.1 }"));
  EXPECT_THAT(import(R"({"model_type": "gpt2", "attn_pdrop": 0, "resid_pdrop": 0.2})").text,
              HasSubstr("dropout { hidden = 0.2 }"));
  EXPECT_THAT(import(R"({"model_type": "opt"})").text, HasSubstr("dropout { hidden = 0.1 }"));
  EXPECT_THAT(import(R"({"model_type": "llama"})").text, Not(HasSubstr("dropout")));
}
TEST(HuggingFace, WhatAPlanCannotSay_StandsInTheComment) {
  EXPECT_THAT(import(R"({"model_type": "phi3", "rope_scaling": {"type": "longrope"}})").text,
              HasSubstr("/// Not imported: positions are scaled by `longrope`."));
  EXPECT_THAT(import(R"({"model_type": "cohere", "logit_scale": 0.0625})").text,
              HasSubstr("/// Not imported: logit_scale is 0.0625."));
}
TEST(HuggingFace, LayersWithoutExperts_AreThoseOfEachKind) {
  const auto dense = [](const std::string& json) {
    const ir::Model model = modelOf(json);
    std::string out;
    for (const ir::LayerRun& run : model.runs)
      out += std::string(run.count, model.layerTypes[run.layerType].feedForward.kind ==
                                            ir::FeedForwardKind::Experts
                                        ? 'e'
                                        : 'd');
    return out;
  };
  EXPECT_EQ(dense(R"({"model_type": "glm4_moe", "num_hidden_layers": 4})"), "deee");
  EXPECT_EQ(dense(R"({"model_type": "llama4_text", "num_hidden_layers": 4,
                      "interleave_moe_layer_step": 2})"),
            "dede");
  EXPECT_EQ(dense(R"({"model_type": "llama4_text", "num_hidden_layers": 4, "moe_layers": [3]})"),
            "ddde");
  EXPECT_EQ(dense(R"({"model_type": "ernie4_5_moe", "num_hidden_layers": 4,
                      "moe_layer_start_index": 1, "moe_layer_end_index": 2})"),
            "deed");
  EXPECT_EQ(dense(R"({"model_type": "deepseek_v3", "num_hidden_layers": 4,
                      "first_k_dense_replace": 0, "moe_layer_freq": [0, 1, 0, 1]})"),
            "dede");
  EXPECT_EQ(dense(R"({"model_type": "deepseek_v3", "num_hidden_layers": 4, "mlp_layer_types":
                      ["dense", "sparse", "sparse", "sparse"], "first_k_dense_replace": 1})"),
            "deee");
}
TEST(HuggingFace, Windows_AreThoseOfEachKind) {
  const auto windows = [](const std::string& json) {
    const ir::Model model = modelOf(json);
    std::string out;
    for (const ir::LayerRun& run : model.runs)
      out +=
          std::string(run.count, model.layerTypes[run.layerType].attention.window > 0 ? 'w' : 'a');
    return out;
  };
  EXPECT_EQ(windows(R"({"model_type": "olmo3", "num_hidden_layers": 5})"), "wwwaw");
  EXPECT_EQ(windows(R"({"model_type": "cohere2", "num_hidden_layers": 4,
                        "sliding_window_pattern": 2})"),
            "wawa");
  EXPECT_EQ(windows(R"({"model_type": "exaone4", "num_hidden_layers": 4,
                        "sliding_window_pattern": "LLG"})"),
            "wwaw");
  EXPECT_EQ(windows(R"({"model_type": "gpt_oss", "num_hidden_layers": 3})"), "waw");
  EXPECT_EQ(windows(R"({"model_type": "llama4_text", "num_hidden_layers": 4,
                        "no_rope_layers": [0, 1, 1, 0]})"),
            "awwa");
  EXPECT_EQ(windows(R"({"model_type": "llama4_text", "num_hidden_layers": 4,
                        "attention_chunk_size": null})"),
            "aaaa");
  EXPECT_EQ(windows(R"({"model_type": "starcoder2", "num_hidden_layers": 2})"), "aa");
  EXPECT_THAT(import(R"({"model_type": "olmo3", "num_hidden_layers": 1,
                         "layer_types": ["linear_attention"]})")
                  .error,
              HasSubstr("full_attention, sliding_attention or chunked_attention"));
}
TEST(HuggingFace, AValueOfAnotherType_IsReportedAtItsKey) {
  EXPECT_EQ(import(R"({"model_type": "llama", "hidden_size": -1})").error,
            "DPL0803 \"hidden_size\": `hidden_size` is -1, a whole number from 0 to 2^32 is "
            "needed\n");
}
TEST(HuggingFace, WhatIsNoJson_IsOneError) {
  EXPECT_EQ(import("{\"model_type\": \"llama\",").error, "DPL0801 : the JSON ends too early\n");
  EXPECT_EQ(import("{'a': 1}").error, "DPL0801 ': this is not JSON\n");
  EXPECT_EQ(import("[]").error, "DPL0801 : a JSON object is needed\n");
  EXPECT_EQ(import(std::string(100'000, '[')).error, "DPL0801 : it is nested too deeply\n");
}

TEST(HuggingFace, LatentAttentionMayHaveWindowsOfOtherSizes) {
  const ir::Model model = modelOf(R"({"model_type": "dots3_note_text", "num_hidden_layers": 6,
      "swa_kv_lora_rank": 768, "layer_types": ["indexed_attention", "indexed_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "indexed_attention"]})");
  const ir::LayerType &chosen = model.layer(1), &windowed = model.layer(2);
  EXPECT_EQ(chosen.attention.window, 0U);
  EXPECT_EQ(chosen.attention.heads, 128U);
  EXPECT_EQ(chosen.indexer.size(), 1U);
  EXPECT_EQ(windowed.attention.window, 512U);
  EXPECT_EQ(windowed.attention.heads, 64U);
  EXPECT_EQ(windowed.attention.kvRank, 768U);
  EXPECT_EQ(windowed.attention.nope, 192U);
  EXPECT_EQ(windowed.attention.base, 50'000);
  EXPECT_TRUE(windowed.indexer.empty());
}
