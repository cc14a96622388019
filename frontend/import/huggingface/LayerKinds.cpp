//===- LayerKinds.cpp - Layers of a config.json that differ from others -----------------------===//
#include "frontend/import/huggingface/ModelFields.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace dpl;
using namespace dpl::imports;

namespace {

void needOneEach(JsonConfig& config, const char* key, std::size_t found, std::uint64_t layers) {
  if (found != 0 && found != layers)
    config.wrong(key, fmt::format("one entry for each of the {} layers", layers));
}

/// Whether each layer in the file's list has a window; empty if the file has no list.
std::vector<bool> listedWindows(JsonConfig& config, std::uint64_t layers, bool recurrent,
                                bool latent) {
  std::vector<bool> out;
  const std::vector<std::string> types = config.texts("layer_types");
  needOneEach(config, "layer_types", types.size(), layers);
  for (const std::string& type : types) {
    const bool windowed = type == "sliding_attention" || type == "chunked_attention";
    const bool other = (latent && type == "indexed_attention") ||
                       (recurrent && (type == "linear_attention" || type == "mamba" ||
                                      type == "conv" || type == "attention"));
    if (type != "full_attention" && !windowed && !other) {
      config.wrong("layer_types", "full_attention, sliding_attention or chunked_attention");
      break;
    }
    out.push_back(windowed);
  }
  if (types.empty())
    for (const std::uint64_t chunked : config.counts("chunked_layers"))
      out.push_back(chunked != 0);
  needOneEach(config, "chunked_layers", types.empty() ? out.size() : 0, layers);
  return out;
}

/// Whether a layer has no window by the pattern. A pattern of 0 has no windows.
bool isWhole(const WholeLayers& whole, std::uint64_t i, std::uint64_t layers,
             std::uint64_t pattern) {
  return pattern == 0 || (i + 1) % pattern == whole.at % pattern || i < whole.first ||
         (whole.last && i + 1 == layers);
}

std::set<std::uint64_t> asSet(const std::vector<std::uint64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

} // namespace

std::vector<std::uint64_t> imports::wholeLayers(JsonConfig& config, const Architecture& a,
                                                std::uint64_t layers, std::uint64_t window) {
  std::vector<bool> windowed =
      listedWindows(config, layers, a.recurrent != nullptr, a.indexerHeads > 0);
  const bool used =
      a.windows != WindowedLayers::None && window > 0 &&
      (a.windows != WindowedLayers::After || config.flag("use_sliding_window", false));
  if (windowed.empty()) {
    const std::uint64_t first = config.count("max_window_layers", 28);
    // Older files of EXAONE 4 write the pattern as "LLLG".
    const std::string letters = config.holds("sliding_window_pattern", Json::JsonKind::String)
                                    ? config.text("sliding_window_pattern", "")
                                    : "";
    const std::uint64_t pattern =
        !letters.empty()
            ? letters.size()
            : config.count(config.has("_sliding_window_pattern") ? "_sliding_window_pattern"
                                                                 : "sliding_window_pattern",
                           a.pattern, 0);
    const std::uint64_t prefix =
        a.whole.prefixes ? std::min(config.count("first_k_dense_replace", 0), layers) : 0;
    const std::uint64_t ofPrefix =
        a.whole.prefixes ? config.count("prefix_dense_sliding_window_pattern", 1) : 0;
    for (std::uint64_t i = 0; i < layers; ++i)
      windowed.push_back(a.windows == WindowedLayers::After  ? i >= first
                         : a.windows == WindowedLayers::Even ? i % 2 == 0
                         : a.windows == WindowedLayers::Odd  ? i % 2 == 1
                         : i < prefix ? !isWhole(a.whole, i, layers, ofPrefix)
                         : a.windows == WindowedLayers::Pattern
                             ? !isWhole(a.whole, i - prefix, layers - prefix, pattern)
                             : a.windows != WindowedLayers::Listed);
  }
  std::vector<std::uint64_t> whole;
  for (std::uint64_t i = 0; i < layers; ++i)
    if (!used || i >= windowed.size() || !windowed[i])
      whole.push_back(i);
  return whole;
}

std::vector<std::uint64_t> imports::denseLayers(JsonConfig& config, const Experts& experts,
                                                std::uint64_t layers) {
  const std::uint64_t first = config.count("first_k_dense_replace", experts.dense, 0);
  const bool toLast = config.shown("moe_layer_end_index") == "-1";
  const std::uint64_t end = toLast ? layers : config.count("moe_layer_end_index", layers, layers);
  const std::uint64_t step = std::max<std::uint64_t>(config.count("decoder_sparse_step", 1, 1), 1);
  const bool listed = config.holds("moe_layer_freq", Json::JsonKind::Array);
  const std::set<std::uint64_t> routed = asSet(config.counts("moe_layers")),
                                dense = asSet(config.counts("mlp_only_layers"));
  const std::vector<std::uint64_t> each =
      listed ? config.counts("moe_layer_freq") : std::vector<std::uint64_t>{};
  const std::uint64_t frequency =
      listed ? 1 : std::max<std::uint64_t>(config.count("moe_layer_freq", 1, 1), 1);
  const std::vector<std::string> types = config.texts("mlp_layer_types");
  needOneEach(config, "moe_layer_freq", each.size(), layers);
  needOneEach(config, "mlp_layer_types", types.size(), layers);
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < layers; ++i)
    if (i < first || i > end || (i + 1) % step != 0 || i % frequency != 0 || dense.count(i) != 0 ||
        (!routed.empty() && routed.count(i) == 0) || (i < each.size() && each[i] == 0) ||
        (i < types.size() && types[i] == "dense"))
      out.push_back(i);
  return out;
}
