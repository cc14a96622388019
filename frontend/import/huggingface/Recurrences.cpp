//===- Recurrences.cpp - Recurrences of the layers of a config.json ---------------------------===//
#include "frontend/import/huggingface/Blocks.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;

namespace {

/// The language has no other convolutions of linear attention and of state spaces.
void usualTaps(const char* key, JsonConfig& from) {
  if (from.count(key, 4) != 4)
    from.wrong(key, "4");
}

std::string gatedDelta(JsonConfig& config, const Architecture& a, std::uint64_t hidden,
                       std::uint64_t heads) {
  const bool own = !a.recurrent->ofAttention;
  const std::uint64_t keys = config.positive("linear_num_key_heads", own ? 16 : heads),
                      values = config.count("linear_num_value_heads", own ? 32 : heads),
                      key = config.count("linear_key_head_dim", own ? 128 : hidden * 3 / 4 / keys),
                      value = config.count("linear_value_head_dim", own ? 128 : 2 * key);
  usualTaps("linear_conv_kernel_dim", config);
  std::string fields = fmt::format("key_heads = {}", keys);
  if (values != keys)
    appendField(fields, fmt::format("heads = {}", values));
  appendField(fields, fmt::format("key_dim = {}", key));
  if (value != key)
    appendField(fields, fmt::format("value_dim = {}", value));
  return "gated_delta { " + fields + " }";
}

/// Files released with the models have an object, and those of transformers 5 single keys.
std::string kimiDelta(JsonConfig& config, const Architecture& a) {
  JsonConfig inner = config.inside("linear_attn_config");
  const std::uint64_t count = inner.count("num_heads", config.count("linear_num_heads", 32)),
                      dim = inner.count("head_dim", config.count("linear_head_dim", 128));
  usualTaps("short_conv_kernel_size", inner);
  for (const char* key : {"short_conv_kernel_size", "linear_conv_kernel_dim"})
    usualTaps(key, config);
  config.mergeFailure(inner);
  std::string fields =
      fmt::format("key_heads = {}, key_dim = {}, channel_decay = true", count, dim);
  if (a.recurrent->ranked)
    appendField(fields, fmt::format("rank = {}", dim));
  return "gated_delta { " + fields + " }";
}

std::string mamba(JsonConfig& config, const Architecture& a, std::uint64_t hidden) {
  const std::uint64_t count = config.positive("mamba_num_heads", 128);
  const std::uint64_t expanded = config.count("mamba_expand", 2) * hidden;
  const std::uint64_t inner =
      config.count("mamba_d_ssm", a.recurrent->inner > 0 ? a.recurrent->inner : expanded, expanded);
  const std::uint64_t dim = config.holds("mamba_head_dim", Json::JsonKind::String)
                                ? inner / count
                                : config.count("mamba_head_dim", inner / count);
  std::string fields = fmt::format("heads = {}, head_dim = {}, state = {}, groups = {}", count, dim,
                                   config.count("ssm_state_size", a.recurrent->state),
                                   config.count("n_groups", a.recurrent->groups));
  usualTaps("conv_kernel", config);
  if (const std::uint64_t chunk = config.count("chunk_size", a.recurrent->chunk); chunk != 256)
    appendField(fields, fmt::format("chunk = {}", chunk));
  if (!config.flag("mamba_rms_norm", a.recurrent->norm))
    appendField(fields, "norm = false");
  if (!config.flag("use_conv_bias", true))
    config.wrong("use_conv_bias", "true");
  return "mamba2 { " + fields + " }";
}

} // namespace

std::string imports::recurrenceText(JsonConfig& config, const Architecture& a, std::uint64_t hidden,
                                    std::uint64_t heads) {
  switch (a.recurrent->kind) {
  case Recurrent::GatedDelta:
    return gatedDelta(config, a, hidden, heads);
  case Recurrent::KimiDelta:
    return kimiDelta(config, a);
  case Recurrent::Lightning:
    return "lightning";
  case Recurrent::Mamba2:
    return mamba(config, a, hidden);
  case Recurrent::ShortConvolution:
    return fmt::format("short_conv {{ conv = {} }}",
                       config.count("conv_L_cache", a.recurrent->taps));
  }
  return "none";
}
