//===- HuggingFace.cpp - A model from a Hugging Face config.json ------------------------------===//
#include "imports/HuggingFace.h"
#include "imports/Architectures.h"
#include "imports/JsonConfig.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::imports;

namespace {

constexpr std::uint64_t mostLayers = 10'000; ///< more are a slip of the keyboard

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
  bool third() const { return llvm::StringRef(a.type) != "deepseek_v2"; } ///< of DeepSeek's kind

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
               : config.count("num_key_value_heads", a.kvHeads == asManyAsHeads ? count : a.kvHeads,
                              count);
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
      return plain();
    if (a.windows == Windows::After && !config.flag("use_sliding_window", false))
      return plain();
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
      return plain();
    std::string own = fmt::format("window = {}tok", number(window));
    if (a.windows == Windows::FiveOfSix)
      own += ", base = " + realText(windowBase());
    line("attention = " + grouped(own));
    each(whole, "attention = " + grouped(""));
  }

  /// Rotary base of the layers with a window, of Gemma 3.
  double windowBase() {
    JsonConfig rope = config.inside("rope_parameters");
    if (!rope.has("sliding_attention"))
      return config.real("rope_local_base_freq", 10'000);
    rope.enter("sliding_attention");
    const double base = rope.real("rope_theta", 10'000);
    config.take(rope);
    return base;
  }

  /// What all layers have beside a window; without any, nothing has to be said.
  void plain() {
    if (const std::string text = grouped(""); text != "grouped")
      line("attention = " + text);
  }

  std::string grouped(const std::string& own) {
    std::string fields = own;
    const auto add = [&](const std::string& field) {
      fields += (fields.empty() ? "" : ", ") + field;
    };
    const llvm::StringRef type = a.type;
    if (a.family == Family::GptOss)
      add("sinks = true");
    if (const double cap = config.real("attn_logit_softcapping", type == "gemma2" ? 50 : 0);
        cap > 0)
      add("softcap = " + realText(cap));
    const bool scaled = type == "gemma2" || type == "gemma3_text";
    if (const double dim = config.real("query_pre_attn_scalar", scaled ? 256 : 0); dim > 0)
      add("scale = " + realText(1 / std::sqrt(dim)));
    return fields.empty() ? "grouped" : "grouped { " + fields + " }";
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
                      std::uint64_t width, std::uint64_t shared, std::uint64_t sharedWidth,
                      const std::string& router) {
    std::string out = fmt::format(
        "experts {{ count = {}, active = {}, width = {}", config.count(count, countDefault),
        config.count("num_experts_per_tok", activeDefault), number(width));
    if (shared > 0)
      out += fmt::format(", shared = {}", shared);
    if (shared > 0 && sharedWidth != width)
      out += fmt::format(", shared_width = {}", number(sharedWidth));
    return out + activation(true) + (router.empty() ? "" : ", router { " + router + " }") + " }";
  }

  /// ", activation = gelu_tanh": behind a width, where it is not the default.
  std::string activation(bool gated) {
    const char* key = gpt2() ? "activation_function"
                      : a.family == Family::Gemma && config.has("hidden_activation")
                          ? "hidden_activation"
                          : "hidden_act";
    const std::string text = activationText(config, key, a.facts);
    return text == (gated ? "silu" : "gelu") ? "" : ", activation = " + text;
  }

  void feedForward() {
    std::uint64_t width =
        gpt2() ? config.count("n_inner", 0) : config.count("intermediate_size", a.width);
    const std::string gated =
        fmt::format("ffn = gated {{ width = {}{} }}", number(width),
                    a.family == Family::Llama || a.family == Family::Gemma ||
                            a.family == Family::QwenExperts || a.family == Family::DeepSeek
                        ? activation(true)
                        : "");
    std::vector<std::uint64_t> dense;
    switch (a.family) {
    case Family::Llama:
    case Family::Gemma:
      return line(gated);
    case Family::Gpt2:
    case Family::Nemotron:
      return line(fmt::format("ffn = plain {{ width = {}{} }}",
                              number(width > 0 ? width : 4 * hidden), activation(false)));
    case Family::Mixtral:
      return line("ffn = " +
                  experts("num_local_experts", 8, 2, width, 0, 0, softmaxRouter(config, true)));
    case Family::GptOss:
      return line(fmt::format(
          "ffn = experts {{ count = {}, active = {}, width = {}, activation = quick_gelu, "
          "offset = 1.0, clamp = {}, router {{ {} }} }}",
          config.count("num_local_experts", 128), config.count("num_experts_per_tok", 4),
          number(width), realText(config.real("swiglu_limit", 7)), softmaxRouter(config, true)));
    case Family::QwenExperts: {
      const bool second = llvm::StringRef(a.type) == "qwen2_moe";
      const std::uint64_t shared =
          second ? config.count("shared_expert_intermediate_size", 5632) : 0;
      line("ffn = " + experts("num_experts", second ? 60 : 128, second ? 4 : 8,
                              config.count("moe_intermediate_size", second ? 1408 : 768),
                              shared > 0, shared,
                              softmaxRouter(config, config.flag("norm_topk_prob", false))));
      const std::vector<std::uint64_t> listed = config.counts("mlp_only_layers");
      const std::uint64_t step = std::max<std::uint64_t>(config.count("decoder_sparse_step", 1), 1);
      for (std::uint64_t i = 0; i < layers; ++i)
        if ((i + 1) % step != 0 || std::find(listed.begin(), listed.end(), i) != listed.end())
          dense.push_back(i);
      break;
    }
    case Family::DeepSeek: {
      const bool kimi = llvm::StringRef(a.type) == "kimi_k2";
      const std::uint64_t each = config.count("moe_intermediate_size", third() ? 2048 : 1407);
      line("ffn = " + experts("n_routed_experts",
                              kimi      ? 384
                              : third() ? 256
                                        : 64,
                              third() ? 8 : 6, each,
                              config.count("n_shared_experts", third() ? 1 : 2), each,
                              deepSeekRouter(config, third())));
      if (config.text("topk_method", third() ? "noaux_tc" : "greedy") == "noaux_tc")
        note("The step of the bias on the choice of experts, 0.001, is DeepSeek-V3's "
             "(arXiv 2412.19437); the file has none.");
      const std::uint64_t first = std::min(config.count("first_k_dense_replace", kimi      ? 1
                                                                                 : third() ? 3
                                                                                           : 0),
                                           layers);
      for (std::uint64_t i = 0; i < first; ++i)
        dense.push_back(i);
      break;
    }
    }
    each(dense, gated);
  }

  void details() {
    for (const std::string& fact : factLines(config, a, hidden))
      line(fact);
    for (const char* key :
         {"attention_dropout", "hidden_dropout", "resid_pdrop", "attn_pdrop", "embd_pdrop"})
      if (const double dropout = config.real(key, 0); dropout > 0)
        note(fmt::format("Not said: {} is {}, a plan has no dropout.", key, dropout));
    if (gpt2() || (a.family == Family::GptOss && config.flag("attention_bias", true)))
      line("bias = true");
    if (config.flag("tie_word_embeddings", a.tied))
      line("tied_embeddings = true");
    const bool linear = config.flag("mlp_bias", false);
    const bool query = config.flag("attention_bias", false);
    if (gpt2() || a.family == Family::GptOss)
      return last();
    if (linear && query)
      line("bias = true");
    else if (a.qkvBias || query)
      line("qkv_bias = true");
    if (query && !linear)
      note("The bias of the attention's output is not counted.");
    if (linear && !query)
      note("The biases of the feed-forward parts are not counted.");
    last();
  }

  void last() {
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
  const auto* const found = std::find_if(allArchitectures().begin(), allArchitectures().end(),
                                         [&](const Architecture& a) { return type == a.type; });
  if (found == allArchitectures().end()) {
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
