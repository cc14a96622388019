//===- HuggingFace.cpp - A model from a Hugging Face config.json ------------------------------===//
//
// Defaults are those of the configuration classes of transformers 5.23
// (src/transformers/models/*/configuration_*.py); they are the same in 4.57 where both have the
// class.
#include "imports/HuggingFace.h"
#include "imports/JsonConfig.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include <algorithm>
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::imports;

namespace {

enum class Family : std::uint8_t { Llama, Gpt2, Mixtral, QwenExperts, DeepSeek };
/// Which layers attend to a window only.
enum class Windows : std::uint8_t { None, All, After, Alternating, FiveOfSix };
constexpr std::uint64_t mostLayers = 10'000; ///< more are a slip of the keyboard
constexpr std::uint64_t heads = 0;           ///< as a default: as many as the attention heads

struct Architecture {
  const char* type; ///< `model_type`
  Family family;
  std::uint64_t vocab, hidden, width, layers, attentionHeads, kvHeads, headDim, context;
  bool tied = false, qkvBias = false, qkNorm = false;
  Windows windows = Windows::None;
  std::uint64_t window = 0;
  const char* note = nullptr; ///< what of it the language does not say
};

constexpr const char* extraNorms = "two further norms a layer are not counted";
constexpr const char* sharedGate = "the gate of the shared experts is not counted";

constexpr Architecture architectures[] = {
    {"llama", Family::Llama, 32'000, 4096, 11'008, 32, 32, heads, 0, 2048},
    {"mistral", Family::Llama, 32'000, 4096, 14'336, 32, 32, 8, 0, 131'072, false, false, false,
     Windows::All, 4096},
    {"mixtral", Family::Mixtral, 32'000, 4096, 14'336, 32, 32, 8, 0, 131'072, false, false, false,
     Windows::All, 0},
    {"qwen2", Family::Llama, 151'936, 4096, 22'016, 32, 32, 32, 0, 32'768, false, true, false,
     Windows::After, 4096},
    {"qwen3", Family::Llama, 151'936, 4096, 22'016, 32, 32, 32, 128, 32'768, false, false, true,
     Windows::After, 4096},
    {"qwen2_moe", Family::QwenExperts, 151'936, 2048, 5632, 24, 16, 16, 0, 32'768, false, true,
     false, Windows::After, 4096, sharedGate},
    {"qwen3_moe", Family::QwenExperts, 151'936, 2048, 6144, 24, 32, 4, 0, 32'768, false, false,
     true, Windows::After, 4096},
    {"deepseek_v2", Family::DeepSeek, 102'400, 4096, 11'008, 32, 32, heads, 0, 2048},
    {"deepseek_v3", Family::DeepSeek, 129'280, 7168, 18'432, 61, 128, heads, 0, 4096},
    {"gemma", Family::Llama, 256'000, 3072, 24'576, 28, 16, 16, 256, 8192, true},
    {"gemma2", Family::Llama, 256'000, 2304, 9216, 26, 8, 4, 256, 8192, true, false, false,
     Windows::Alternating, 4096, extraNorms},
    {"gemma3_text", Family::Llama, 262'208, 2304, 9216, 26, 8, 4, 256, 131'072, true, false, true,
     Windows::FiveOfSix, 4096, extraNorms},
    {"gpt2", Family::Gpt2, 50'257, 768, 0, 12, 12, heads, 0, 1024, true},
};

std::string knownTypes() {
  std::string out;
  for (const Architecture& a : architectures)
    out += (out.empty() ? "" : ", ") + std::string(a.type);
  return out;
}

/// "14_336": from five digits on in groups, as the formatter's own files have them.
std::string number(std::uint64_t n) {
  std::string out = std::to_string(n);
  for (std::size_t at = out.size() > 4 ? out.size() : 0; at > 3;)
    out.insert(at -= 3, "_");
  return out;
}

/// A name of the language from any text: "meta-llama/Llama-3.1-8B" is llama_3_1_8b.
std::string identifier(llvm::StringRef text) {
  std::string out;
  for (const char c : text.substr(text.rfind('/') + 1))
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80
               ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
               : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0)
    out = "model_" + out;
  return out;
}

class Importer {
public:
  Importer(JsonConfig config, const Architecture& architecture)
      : config(std::move(config)), a(architecture) {}

  /// The whole file; nothing after a report.
  std::optional<std::string> run(const std::string& name, const std::string& file) {
    const std::string chosen =
        name.empty() ? identifier(config.text("_name_or_path", a.type)) : name;
    shape();
    attention();
    feedForward();
    details();
    if (!config.good())
      return std::nullopt;
    std::string out =
        fmt::format("/// Imported from {}, a `{}` of Hugging Face.\n", oneLine(file), a.type);
    for (const std::string& note : notes)
      out += "/// " + note + "\n";
    return out + "import std.models\n\nmodel " + chosen + " from models.decoder {\n" + body + "}\n";
  }

private:
  void line(const std::string& text) { body += "  " + text + "\n"; }
  void note(std::string text) { notes.push_back(std::move(text)); }
  bool gpt2() const { return a.family == Family::Gpt2; }

  void shape() {
    layers = config.positive(gpt2() ? "n_layer" : "num_hidden_layers", a.layers, mostLayers);
    hidden = config.positive(gpt2() ? "n_embd" : "hidden_size", a.hidden);
    line(fmt::format("layers = {}, hidden = {}", layers, number(hidden)));
    line(fmt::format("vocab = {}", number(config.positive("vocab_size", a.vocab))));
    const char* length = gpt2() ? "n_positions" : "max_position_embeddings";
    line(fmt::format("context = {}tok", number(config.positive(length, a.context))));
    note(fmt::format("`context` is {}, the longest that it takes; set what the run trains on.",
                     length));
  }

  void attention() {
    const std::uint64_t count =
        config.positive(gpt2() ? "n_head" : "num_attention_heads", a.attentionHeads);
    if (a.family == Family::DeepSeek) {
      line(fmt::format("heads = {}", count));
      const std::uint64_t query = config.count("q_lora_rank", 1536, 0);
      std::string latent = query > 0 ? fmt::format("query_rank = {}, ", number(query)) : "";
      latent +=
          fmt::format("kv_rank = {}, nope = {}, rope = {}, value = {}",
                      config.count("kv_lora_rank", 512), config.count("qk_nope_head_dim", 128),
                      config.count("qk_rope_head_dim", 64), config.count("v_head_dim", 128));
      line("attention = mla { " + latent + " }");
      return;
    }
    const std::uint64_t kv =
        gpt2() ? count
               : config.count("num_key_value_heads", a.kvHeads == heads ? count : a.kvHeads, count);
    if (kv == 0 || count % kv != 0)
      config.wrong("num_key_value_heads", fmt::format("a divisor of the {} heads", count));
    line(fmt::format("heads = {}{}", count, kv == count ? "" : fmt::format(", kv_heads = {}", kv)));
    const std::uint64_t dim = config.count("head_dim", a.headDim, 0);
    if (dim == 0 && config.has("head_dim"))
      config.wrong("head_dim", "a whole number of at least 1");
    else if (dim == 0 && hidden % count != 0)
      config.wrong(gpt2() ? "n_embd" : "hidden_size",
                   fmt::format("a multiple of the {} heads", count));
    if (dim > 0 && dim * count != hidden)
      line(fmt::format("head_dim = {}", dim));
    windows();
  }

  /// Layers with a sliding window, as the configuration classes choose them.
  void windows() {
    const std::uint64_t window = config.count("sliding_window", a.window, 0);
    if (a.windows == Windows::None || window == 0)
      return;
    if (a.windows == Windows::After && !config.flag("use_sliding_window", false))
      return;
    const std::vector<std::string> types = config.texts("layer_types");
    const std::uint64_t first = config.count("max_window_layers", 28),
                        pattern = config.count("sliding_window_pattern", 6);
    if (!types.empty() && types.size() != layers)
      config.wrong("layer_types", fmt::format("one entry for each of the {} layers", layers));
    std::vector<std::uint64_t> whole;
    for (std::uint64_t i = 0; i < layers; ++i) {
      const bool sliding = !types.empty() ? i < types.size() && types[i] == "sliding_attention"
                           : a.windows == Windows::After       ? i >= first
                           : a.windows == Windows::Alternating ? i % 2 == 0
                           : a.windows == Windows::FiveOfSix ? pattern > 0 && (i + 1) % pattern != 0
                                                             : true;
      if (!sliding)
        whole.push_back(i);
    }
    if (whole.size() == layers)
      return;
    line(fmt::format("attention = grouped {{ window = {}tok }}", number(window)));
    each(whole, "attention = grouped");
  }

  /// `field` for the layers listed, which ascend.
  void each(const std::vector<std::uint64_t>& listed, const std::string& field) {
    if (listed.empty())
      return;
    const std::uint64_t from = listed.front(), to = listed.back() + 1;
    if (to - from == listed.size())
      return line(to - from == 1 ? fmt::format("layer[{}] {{ {} }}", from, field)
                                 : fmt::format("layer[{}..<{}] {{ {} }}", from, to, field));
    line(fmt::format("for i in [{}] {{ layer[i] {{ {} }} }}", fmt::join(listed, ", "), field));
  }

  std::string experts(const char* count, std::uint64_t countDefault, std::uint64_t activeDefault,
                      std::uint64_t width, std::uint64_t shared, std::uint64_t sharedWidth) {
    std::string out = fmt::format(
        "experts {{ count = {}, active = {}, width = {}", config.count(count, countDefault),
        config.count("num_experts_per_tok", activeDefault), number(width));
    if (shared > 0)
      out += fmt::format(", shared = {}", shared);
    if (shared > 0 && sharedWidth != width)
      out += fmt::format(", shared_width = {}", number(sharedWidth));
    return out + " }";
  }

  void feedForward() {
    std::uint64_t width =
        gpt2() ? config.count("n_inner", 0) : config.count("intermediate_size", a.width);
    const std::string gated = fmt::format("ffn = gated {{ width = {} }}", number(width));
    std::vector<std::uint64_t> dense;
    switch (a.family) {
    case Family::Llama:
      return line(gated);
    case Family::Gpt2:
      if (width > 0 && width != 4 * hidden)
        line(fmt::format("ffn = plain {{ width = {} }}", number(width)));
      return;
    case Family::Mixtral:
      return line("ffn = " + experts("num_local_experts", 8, 2, width, 0, 0));
    case Family::QwenExperts: {
      const bool second = llvm::StringRef(a.type) == "qwen2_moe";
      const std::uint64_t shared =
          second ? config.count("shared_expert_intermediate_size", 5632) : 0;
      line("ffn = " + experts("num_experts", second ? 60 : 128, second ? 4 : 8,
                              config.count("moe_intermediate_size", second ? 1408 : 768),
                              shared > 0, shared));
      const std::vector<std::uint64_t> listed = config.counts("mlp_only_layers");
      const std::uint64_t step = std::max<std::uint64_t>(config.count("decoder_sparse_step", 1), 1);
      for (std::uint64_t i = 0; i < layers; ++i)
        if ((i + 1) % step != 0 || std::find(listed.begin(), listed.end(), i) != listed.end())
          dense.push_back(i);
      break;
    }
    case Family::DeepSeek: {
      const bool third = llvm::StringRef(a.type) == "deepseek_v3";
      const std::uint64_t each = config.count("moe_intermediate_size", third ? 2048 : 1407);
      line("ffn = " + experts("n_routed_experts", third ? 256 : 64, third ? 8 : 6, each,
                              config.count("n_shared_experts", third ? 1 : 2), each));
      const std::uint64_t first =
          std::min(config.count("first_k_dense_replace", third ? 3 : 0), layers);
      for (std::uint64_t i = 0; i < first; ++i)
        dense.push_back(i);
      break;
    }
    }
    each(dense, gated);
  }

  void details() {
    if (gpt2())
      line("norm = layer, positions = learned, bias = true");
    if (config.flag("tie_word_embeddings", a.tied))
      line("tied_embeddings = true");
    const bool linear = config.flag("mlp_bias", false);
    const bool query = config.flag("attention_bias", false);
    if (linear && query)
      line("bias = true");
    else if (a.qkvBias || query)
      line("qkv_bias = true");
    if (query && !linear)
      note("The bias of the attention's output is not counted.");
    if (linear && !query)
      note("The biases of the feed-forward parts are not counted.");
    if (a.qkNorm)
      line("qk_norm = true");
    if (const std::uint64_t prediction = config.count("num_nextn_predict_layers", 0))
      line(fmt::format("prediction_layers = {}", prediction));
    if (a.note)
      note(fmt::format("Not said: {}.", a.note));
  }

  JsonConfig config;
  const Architecture& a;
  std::uint64_t layers = 1, hidden = 1;
  std::string body;
  std::vector<std::string> notes;
};

/// What a decoder needs and the file does not say, for a `model_type` that nobody here knows.
std::string lackingOfDecoder(const JsonConfig& config) {
  std::string out;
  for (const char* key : {"num_hidden_layers", "hidden_size", "intermediate_size",
                          "num_attention_heads", "vocab_size", "max_position_embeddings"})
    if (!config.has(key))
      out += (out.empty() ? "`" : ", `") + std::string(key) + "`";
  return out;
}

} // namespace

FailureOr<std::string> imports::huggingFaceModel(const SourceManager& sources, std::uint32_t file,
                                                 const std::string& name, const std::string& as,
                                                 DiagnosticEngine& diags) {
  std::optional<JsonConfig> config = JsonConfig::parse(sources, file, diags);
  if (!config)
    return LogicalResult::failure();
  std::string type = as.empty() ? config->text("model_type", "") : as;
  if (type == "gemma3" && config->has("text_config")) { // the language part of a model with images
    config->enter("text_config");
    type = "gemma3_text";
  }
  const auto* const found = std::find_if(std::begin(architectures), std::end(architectures),
                                         [&](const Architecture& a) { return type == a.type; });
  if (found == std::end(architectures)) {
    const std::string lacking = lackingOfDecoder(*config);
    return diags
        .report<diag::UnknownArchitecture>(as.empty() ? config->range("model_type") : SourceRange{},
                                           type.empty() ? "no `model_type`" : "`" + type + "`",
                                           knownTypes())
        .help(lacking.empty() ? "`--as llama` reads it as a plain decoder, of which it has all keys"
                              : "to be read as a plain decoder (`--as llama`) it lacks " + lacking);
  }
  std::optional<std::string> text =
      Importer(std::move(*config), *found).run(name, sources.name(file).str());
  if (!text)
    return LogicalResult::failure();
  return std::move(*text);
}
