//===- Blocks.cpp - Attention and recurrences of the layers of a config.json ------------------===//
#include "frontend/import/huggingface/Blocks.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;

namespace {

bool isOneOf(llvm::StringRef word, llvm::ArrayRef<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return word == w; });
}
constexpr const char* recurrentWords[] = {"linear_attention", "mamba", "conv", "M"};
constexpr const char* attentionWords[] = {"full_attention", "attention", "*"};
constexpr const char* expertWords[] = {"moe", "E"};
constexpr const char* denseWords[] = {"mlp", "-"};

/// The blocks of layers that are single blocks, by list or as a string of letters.
std::vector<std::string> blockWords(JsonConfig& config) {
  if (config.has("layers_block_type"))
    return config.texts("layers_block_type");
  std::vector<std::string> out;
  for (const char letter : config.text("hybrid_override_pattern", "ME*-")) // default of Nemotron-H
    out.emplace_back(1, letter);
  return out;
}

std::vector<std::uint64_t> layersWith(const std::vector<std::string>& words,
                                      llvm::ArrayRef<const char*> these) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < words.size(); ++i)
    if (isOneOf(words[i], these))
      out.push_back(i);
  return out;
}

class Blocks {
public:
  Blocks(JsonConfig& config, const Architecture& a, std::uint64_t layers, std::uint64_t hidden,
         LayerFields& out)
      : config(config), a(a), layers(layers), hidden(hidden), out(out) {}

  void run() {
    heads = config.positive("num_attention_heads", a.shape.heads);
    recurrent = recurrentLayers();
    if (a.latent)
      latent();
    else
      grouped();
    ignoreKeys();
    if (!a.recurrent)
      return;
    const std::string text = "recurrence = " + recurrenceText(config, a, hidden, heads);
    if (a.recurrent->parallel)
      out.lines.push_back("layer." + text);
    else if (const std::vector<std::uint64_t> listed = indices(); !listed.empty() && !a.singles)
      out.differ(listed, "attention = none, " + text);
  }

private:
  /// Marks keys as read that change how kernels run, or that no layer uses.
  void ignoreKeys() {
    for (const char* key :
         {"mamba_hidden_act", "mamba_ssm_cache_dtype", "use_mamba_kernels", "mamba_proj_bias",
          "mamba_norm_before_gate", "kda_lower_bound", "kda_safe_gate", "mtp_layers_block_type",
          "ssm_in_multiplier", "ssm_out_multiplier", "ssm_multipliers", "full_attn_alpha_factor",
          "full_attn_beta_factor", "linear_attn_alpha_factor", "linear_attn_beta_factor"})
      if (a.recurrent)
        (void)config.has(key);
    const std::vector<std::string> types = config.texts("layer_types");
    if (!types.empty() && std::all_of(types.begin(), types.end(), [](const std::string& type) {
          return type == "full_attention" || type == "sliding_attention";
        }))
      for (const char* key : {"index_head_dim", "index_n_heads", "index_topk_blocks"})
        (void)config.has(key);
  }

  std::vector<std::uint64_t> indices() const {
    std::vector<std::uint64_t> listed;
    for (std::uint64_t i = 0; i < layers; ++i)
      if (recurrent[i])
        listed.push_back(i);
    return listed;
  }

  /// Layers with a recurrence instead of attention: those that the file lists, or all but every
  /// n-th.
  std::vector<bool> recurrentLayers() {
    std::vector<bool> listed(layers, false);
    if (!a.recurrent || a.recurrent->parallel || a.singles)
      return listed;
    const std::vector<std::string> words = config.texts("layer_types");
    JsonConfig inner = config.inside("linear_attn_config");
    const std::vector<std::uint64_t> whole = config.has("full_attn_idxs")
                                                 ? config.counts("full_attn_idxs")
                                                 : config.counts("attn_layer_indices");
    const std::vector<std::uint64_t> fromOne = inner.counts("full_attn_layers");
    const std::vector<std::uint64_t> ofType = config.counts("attn_type_list");
    config.mergeFailure(inner);
    const std::uint64_t interval =
        std::max<std::uint64_t>(config.count("full_attention_interval", a.recurrent->interval), 1);
    for (std::uint64_t i = 0; i < layers; ++i) {
      const auto isIn = [&](const std::vector<std::uint64_t>& set, std::uint64_t n) {
        return std::find(set.begin(), set.end(), n) != set.end();
      };
      listed[i] = i < words.size()    ? isOneOf(words[i], recurrentWords)
                  : !words.empty()    ? false
                  : i < ofType.size() ? ofType[i] == 0
                  : !whole.empty()    ? !isIn(whole, i)
                  : !fromOne.empty()  ? !isIn(fromOne, i + 1)
                                      : i < a.recurrent->first ||
                                           (i + 1) % interval != a.recurrent->whole % interval;
    }
    return listed;
  }

  std::uint64_t keyValueHeads(std::uint64_t count) {
    const bool one = a.multiQuery.key && !config.flag("new_decoder_architecture", false)
                         ? isSet(config, a.multiQuery)
                         : config.text("attn_type", "") == "multiquery_attention";
    const std::uint64_t otherwise = a.shape.kvHeads == asManyAsHeads ? count : a.shape.kvHeads;
    // In GPT-BigCode and the first Falcon `multi_query` overrides the number of KV heads.
    const std::uint64_t kv = one ? 1 : config.count("num_key_value_heads", otherwise, count);
    if (kv == 0 || count % kv != 0)
      config.wrong("num_key_value_heads", fmt::format("a divisor of the {} heads", count));
    return kv;
  }

  /// Multi-head latent attention. Layers with a window may have sizes of their own.
  void latent() {
    out.lines.push_back(fmt::format("heads = {}", heads));
    if (hidden % heads != 0) // the default requires divisibility
      out.lines.push_back(
          fmt::format("head_dim = {}", config.count("qk_nope_head_dim", a.latentSizes.nope) +
                                           config.count("qk_rope_head_dim", a.latentSizes.rope)));
    byKind([&](std::uint64_t layer, bool seesAll) {
      return "mla { " + latentText(layer, seesAll) + " }";
    });
  }

  std::string latentText(std::uint64_t layer, bool seesAll) {
    // transformers 5 writes what layers have of their own; files of releases have keys of layers
    // with a window.
    const bool windowKeys = !seesAll && a.windowLatent && !config.has("per_layer_config");
    const LatentSizes& sizes = windowKeys ? *a.windowLatent : a.latentSizes;
    JsonConfig all = config.inside("per_layer_config");
    JsonConfig own = all.inside(fmt::format("{:02}", layer));
    const auto size = [&](const std::string& key, std::uint64_t otherwise) {
      return own.count(key, config.count(windowKeys ? "swa_" + key : key, otherwise, 0), 0);
    };
    const std::uint64_t count = size("num_attention_heads", sizes.heads > 0 ? sizes.heads : heads);
    std::string fields = count == heads ? "" : fmt::format("heads = {}", count);
    if (const std::uint64_t query = size("q_lora_rank", sizes.queryRank); query > 0)
      appendField(fields, fmt::format("q_lora_rank = {}", groupedDigits(query)));
    appendField(fields,
                fmt::format("kv_lora_rank = {}, qk_nope_head_dim = {}, qk_rope_head_dim = {}, "
                            "v_head_dim = {}",
                            size("kv_lora_rank", sizes.kvRank),
                            size("qk_nope_head_dim", sizes.nope),
                            size("qk_rope_head_dim", sizes.rope), size("v_head_dim", sizes.value)));
    config.mergeFailure(own);
    if (a.gate)
      appendField(fields, fmt::format("gate = {}", a.gate));
    if (!seesAll)
      appendField(fields, windowText());
    else if (a.indexerHeads > 0)
      appendField(fields, indexer());
    return fields;
  }

  std::string indexer() {
    for (const std::string& type : config.texts("indexer_types"))
      if (type != "full") {
        config.wrong("indexer_types", "`full` for each layer");
        break;
      }
    return fmt::format("indexer {{ heads = {}, head_dim = {}, top_k = {} }}",
                       config.count("index_n_heads", a.indexerHeads),
                       config.count("index_head_dim", 128), config.count("index_topk", 2048));
  }

  void grouped() {
    const std::uint64_t kv = keyValueHeads(heads);
    out.lines.push_back(
        fmt::format("heads = {}{}", heads, kv == heads ? "" : fmt::format(", kv_heads = {}", kv)));
    std::uint64_t dim = config.count("head_dim", a.shape.headDim, 0);
    if (dim == 0 && config.has("head_dim"))
      config.wrong("head_dim", "a whole number of at least 1");
    else if (dim == 0 && hidden % heads != 0)
      config.wrong("hidden_size", fmt::format("a multiple of the {} heads", heads));
    if (dim > 0 && dim * heads != hidden)
      out.lines.push_back(fmt::format("head_dim = {}", dim));
    out.headDim = dim = dim > 0 ? dim : std::max<std::uint64_t>(hidden / heads, 1);
    windows(kv, dim);
  }

  /// The fields of layers with a window.
  std::string windowText() {
    const double base = windowBase(config, a);
    return fmt::format("window = {}tok",
                       groupedDigits(config.count("sliding_window", a.window, 0))) +
           (base > 0 ? ", base = " + realText(base) : "");
  }

  void windows(std::uint64_t kv, std::uint64_t dim) {
    const std::vector<std::uint64_t> ofLayer = config.counts("num_attention_heads_per_layer");
    byKind([&](std::uint64_t i, bool seesAll) {
      std::string fields = ownHeads(i, seesAll, kv, dim, i < ofLayer.size() ? ofLayer[i] : heads);
      if (!seesAll)
        appendField(fields, windowText());
      return groupedText(fields, seesAll);
    });
  }

  /// Writes the attention that most layers may have, and that of the others as their difference.
  /// `textOf` returns the attention of a layer, given whether it has no window.
  void byKind(llvm::function_ref<std::string(std::uint64_t, bool)> textOf) {
    const std::vector<std::uint64_t> whole =
        wholeLayers(config, a, layers, config.count("sliding_window", a.window, 0));
    std::vector<std::string> kinds;
    std::vector<std::vector<std::uint64_t>> listed;
    std::size_t common = 0;
    bool found = false;
    for (std::uint64_t i = 0; i < layers; ++i) {
      if (recurrent[i])
        continue;
      const bool seesAll = std::binary_search(whole.begin(), whole.end(), i);
      const std::string text = "attention = " + textOf(i, seesAll);
      auto kind = std::find(kinds.begin(), kinds.end(), text);
      if (kind == kinds.end()) {
        kind = kinds.insert(kind, text);
        listed.emplace_back();
      }
      const auto at = static_cast<std::size_t>(kind - kinds.begin());
      listed[at].push_back(i);
      if (!seesAll && !found)
        common = at, found = true;
    }
    if (kinds.empty())
      return;
    if (kinds[common] != "attention = grouped")
      out.lines.push_back(kinds[common]);
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (i != common)
        out.differ(listed[i], kinds[i]);
  }

  /// Heads of one layer that differ from those of the model.
  std::string ownHeads(std::uint64_t layer, bool seesAll, std::uint64_t kv, std::uint64_t dim,
                       std::uint64_t count) {
    JsonConfig all = config.inside("per_layer_config");
    JsonConfig own = all.inside(fmt::format("{:02}", layer));
    std::uint64_t ownKv = own.count("num_key_value_heads", kv), ownDim = own.count("head_dim", dim);
    config.mergeFailure(own);
    if (seesAll) {
      const bool other = a.wholeHeadDim > 0 && !config.has("per_layer_config");
      ownDim = config.count("global_head_dim", other ? a.wholeHeadDim : ownDim, ownDim);
      ownKv = config.count("num_global_key_value_heads", ownKv, ownKv);
    } else {
      ownKv = config.count("swa_num_key_value_heads", a.windowKvHeads ? a.windowKvHeads : ownKv);
    }
    std::string fields;
    if (const std::uint64_t ownCount = own.count("num_attention_heads", count); ownCount != heads)
      appendField(fields, fmt::format("heads = {}", ownCount));
    if (ownKv != kv)
      appendField(fields, fmt::format("kv_heads = {}", ownKv));
    if (ownDim != dim)
      appendField(fields, fmt::format("head_dim = {}", ownDim));
    if (a.valueDim > 0)
      appendField(fields, fmt::format("v_head_dim = {}", config.count("v_head_dim", a.valueDim)));
    return fields;
  }

  /// Whether the scale of the scores is 1 / √head_dim, which is the default of the language.
  bool isUsualScale(double scale) const {
    return std::abs(scale * scale * static_cast<double>(out.headDim) - 1) < 1e-12;
  }

  std::string groupedText(std::string fields, bool seesAll) {
    if ((a.experts && a.experts->cut) || a.sinks == Sinks::All ||
        (a.sinks == Sinks::Windowed && !seesAll))
      appendField(fields, "sinks = true");
    if (a.gate)
      appendField(fields, fmt::format("gate = {}", a.gate));
    if (const double cap = config.real("attn_logit_softcapping", a.attentionCap); cap > 0)
      appendField(fields, "softcap = " + realText(cap));
    if (const double scalar = config.real("query_pre_attn_scalar", a.queryScalar); scalar > 0)
      appendField(fields, "scale = " + realText(1 / std::sqrt(scalar)));
    else if (const double scale = config.real("attention_multiplier", a.attentionScale);
             scale > 0 && !isUsualScale(scale))
      appendField(fields, "scale = " + realText(scale));
    return fields.empty() ? "grouped" : "grouped { " + fields + " }";
  }

  JsonConfig& config;
  const Architecture& a;
  std::uint64_t layers, hidden, heads = 1;
  std::vector<bool> recurrent;
  LayerFields& out;
};

} // namespace

void LayerFields::differ(const std::vector<std::uint64_t>& listed, const std::string& field) {
  for (const std::uint64_t i : listed)
    appendField(declared[i], field);
}

std::uint64_t imports::layersOf(JsonConfig& config, const Architecture& a, std::uint64_t most) {
  if (a.singles)
    if (const std::size_t listed = blockWords(config).size(); listed > 0 && listed <= most)
      return listed;
  return config.positive("num_hidden_layers", a.shape.layers, most);
}

void imports::attentionFields(JsonConfig& config, const Architecture& a, std::uint64_t layers,
                              std::uint64_t hidden, LayerFields& out) {
  out.declared.resize(layers);
  Blocks(config, a, layers, hidden, out).run();
}

void imports::singleBlocks(JsonConfig& config, const Architecture& a, std::uint64_t hidden,
                           const std::string& dense, LayerFields& out) {
  const std::vector<std::string> words = blockWords(config);
  for (const std::string& word : words)
    if (!isOneOf(word, recurrentWords) && !isOneOf(word, attentionWords) &&
        !isOneOf(word, expertWords) && !isOneOf(word, denseWords))
      return config.wrong(config.has("layers_block_type") ? "layers_block_type"
                                                          : "hybrid_override_pattern",
                          "layers of a state space, attention, experts or a dense network");
  const std::string state =
      recurrenceText(config, a, hidden, config.positive("num_attention_heads", a.shape.heads));
  out.differ(layersWith(words, recurrentWords),
             "attention = none, recurrence = " + state + ", ffn = none");
  out.differ(layersWith(words, attentionWords), "ffn = none");
  out.differ(layersWith(words, expertWords), "attention = none");
  out.differ(layersWith(words, denseWords), "attention = none, " + dense);
}
