//===- ModelFields.cpp - Fields of a config.json except for sizes -----------------------------===//
//
// In transformers 5, rotary positions are in `rope_parameters`; in earlier versions they are in
// `rope_theta` and `rope_scaling`.
#include "frontend/import/huggingface/ModelFields.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;

namespace {

std::string whole(std::uint64_t tokens) { return std::to_string(tokens) + "tok"; }

std::string yarnText(JsonConfig& rope, std::uint64_t context) {
  const double factor = rope.real("factor", 1);
  // If the original length is absent, transformers uses the context length.
  std::string out = fmt::format("factor = {}, original_context = {}", realText(factor),
                                whole(rope.count("original_max_position_embeddings", context)));
  if (const double fast = rope.real("beta_fast", 32); fast != 32)
    appendField(out, "beta_fast = " + realText(fast));
  if (const double slow = rope.real("beta_slow", 1); slow != 1)
    appendField(out, "beta_slow = " + realText(slow));
  if (const double mscale = rope.real("mscale", 1); mscale != 1)
    appendField(out, "mscale = " + realText(mscale));
  if (const double all = rope.real("mscale_all_dim", 0); all != 0)
    appendField(out, "mscale_all_dim = " + realText(all));
  if (!rope.flag("truncate", true))
    appendField(out, "truncate = false");
  return "yarn { " + out + " }";
}

void noteUnread(const std::string& scaling, Notes& notes) {
  notes.push_back("Not imported: positions are scaled by `" + scaling + "`.");
}

std::string scalingText(JsonConfig& rope, std::uint64_t context, Notes& notes) {
  const std::string type = rope.text("rope_type", rope.text("type", "default"));
  if (type == "default" || type == "mrope") // for text all positions of mrope are equal
    return "";
  if (type == "linear")
    return fmt::format("linear {{ factor = {} }}", realText(rope.real("factor", 1)));
  if (type == "yarn")
    return yarnText(rope, context);
  if (type == "llama3")
    return fmt::format("llama3 {{ factor = {}, low_freq_factor = {}, high_freq_factor = {}, "
                       "original_context = {} }}",
                       realText(rope.real("factor", 8)), realText(rope.real("low_freq_factor", 1)),
                       realText(rope.real("high_freq_factor", 4)),
                       whole(rope.count("original_max_position_embeddings", 8192)));
  if (type == "dynamic" || type == "longrope" || type == "su" || type == "proportional") {
    noteUnread(type, notes);
    return "";
  }
  rope.wrong(rope.has("rope_type") ? "rope_type" : "type",
             "default, linear, llama3, yarn, dynamic or longrope");
  return "";
}

std::string normText(JsonConfig& config, const Norm& norm) {
  std::string fields;
  const bool rms = norm.rmsKey && config.has(norm.rmsKey);
  const char* const kind = rms ? "rms" : norm.kind;
  const char* const key = rms ? norm.rmsKey : norm.key;
  const double epsilon = key ? config.real(key, norm.epsilon) : norm.epsilon;
  if (epsilon != 1e-5)
    appendField(fields, "epsilon = " + realText(epsilon));
  if (norm.centered)
    appendField(fields, "zero_centered = true");
  return fields.empty() ? kind : fmt::format("{} {{ {} }}", kind, fields);
}

std::string rotaryText(JsonConfig& config, const Architecture& a, std::uint64_t headDim,
                       Notes& notes) {
  const bool joined = config.has("rope_parameters");
  JsonConfig rope = config.inside(joined ? "rope_parameters" : "rope_scaling");
  // Layers with and without a window have different positions.
  for (const char* kind : {"full_attention", "indexed_attention"})
    if (joined && rope.has(kind)) {
      rope.enter(kind);
      break;
    }
  const double base = (joined && rope.has("rope_theta") ? rope : config).real("rope_theta", a.base);
  double share = (joined && rope.has("partial_rotary_factor") ? rope : config)
                     .real("partial_rotary_factor", a.share);
  if (a.latent) // `qk_rope_head_dim` says how many elements are rotated
    share = 1;
  if (const std::uint64_t turned = config.count("rotary_dim", a.turned, 0); turned > 0)
    share = std::min(1.0, static_cast<double>(turned) / static_cast<double>(headDim));
  const bool absent = !joined && !config.has("rope_scaling");
  if (absent && a.unread)
    noteUnread(a.unread, notes);
  const std::string scaling =
      absent && a.scaling
          ? a.scaling
          : scalingText(rope, config.count("max_position_embeddings", a.shape.context), notes);
  config.mergeFailure(rope);
  std::string fields;
  if (base != 10'000)
    appendField(fields, "base = " + realText(base));
  if (share != 1)
    appendField(fields, "fraction = " + realText(share));
  if (!scaling.empty())
    appendField(fields, "scaling = " + scaling);
  return fields.empty() ? "rotary" : "rotary { " + fields + " }";
}

/// The number of norms of parallel blocks. In later Falcon models it is 2 by default.
std::uint64_t parallelNorms(JsonConfig& config, const Architecture& a) {
  const bool later = config.flag("new_decoder_architecture", false);
  return config.count("num_ln_in_parallel_attn", later ? 2 : a.parallelNorms, 1);
}

std::string dropoutText(JsonConfig& config, const Dropout& otherwise) {
  std::string out;
  const auto share = [&](const char* key, const char* field, double given) {
    const double dropped = config.real(key, given);
    if (dropped < 0 || dropped >= 1)
      config.wrong(key, "a share of at least 0 and below 1");
    else if (dropped > 0)
      appendField(out, fmt::format("{} = {}", field, realText(dropped)));
  };
  share("attention_dropout", "attention", otherwise.attention);
  share("hidden_dropout", "hidden", otherwise.hidden);
  return out;
}

std::string positionsText(JsonConfig& config, const Architecture& a, std::uint64_t headDim,
                          Notes& notes) {
  const bool biased = a.alibi.key ? isSet(config, a.alibi) : a.positions == Positions::Alibi;
  if (!biased)
    return a.positions == Positions::Learned ? "learned" : rotaryText(config, a, headDim, notes);
  return "alibi";
}

/// Writes `bias` and `qkv_bias`.
void biasLines(JsonConfig& config, const Architecture& a, std::vector<std::string>& out,
               Notes& notes) {
  if (isSet(config, a.bias)) {
    out.emplace_back("bias = true");
    return;
  }
  const bool linear = config.flag("mlp_bias", a.mlpBias), queries = isSet(config, a.qkvBias);
  const bool output = queries && config.flag("attention_out_bias", a.outputBias);
  if (linear && queries)
    out.emplace_back("bias = true");
  else if (queries)
    out.emplace_back("qkv_bias = true");
  if (output && !linear)
    notes.emplace_back("The bias of the attention's output is not counted.");
  if (linear && !queries)
    notes.emplace_back("The biases of the feed-forward parts are not counted.");
}

} // namespace

std::string imports::groupedDigits(std::uint64_t n) {
  std::string out = std::to_string(n);
  for (std::size_t at = out.size() > 4 ? out.size() : 0; at > 3;)
    out.insert(at -= 3, "_");
  return out;
}

void imports::appendField(std::string& out, const std::string& field) {
  out += (out.empty() ? "" : ", ") + field;
}

std::string imports::realText(double value) {
  std::string out = fmt::format("{}", value);
  const std::size_t exponent = out.find('e');
  if (out.find('.') == std::string::npos)
    out.insert(exponent == std::string::npos ? out.size() : exponent, ".0");
  return out;
}

bool imports::isSet(JsonConfig& config, const Flag& flag) {
  if (!flag.key || !config.has(flag.key))
    return flag.otherwise;
  return config.flag(flag.key, flag.otherwise) != flag.contrary;
}

double imports::windowBase(JsonConfig& config, const Architecture& a) {
  JsonConfig rope = config.inside("rope_parameters");
  double base = config.real("rope_local_base_freq", a.localBase);
  if (rope.has("sliding_attention")) {
    rope.enter("sliding_attention");
    base = rope.real("rope_theta", a.localBase > 0 ? a.localBase : a.base);
  } else if (base == 0 && a.unscaledWindows) {
    base = config.real("rope_theta", a.base);
  }
  config.mergeFailure(rope);
  return base;
}

std::string imports::activationText(JsonConfig& config, const Architecture& a) {
  constexpr RenamedKey names[] = {{"silu", "silu"},
                                  {"swish", "silu"},
                                  {"relu", "relu"},
                                  {"relu2", "squared_relu"},
                                  {"gelu", "gelu"},
                                  {"gelu_new", "gelu_tanh"},
                                  {"gelu_fast", "gelu_tanh"},
                                  {"gelu_pytorch_tanh", "gelu_tanh"},
                                  {"quick_gelu", "quick_gelu"},
                                  {"xielu", "xielu"}};
  const std::string theirs = config.text("hidden_act", a.activation);
  for (const RenamedKey& name : names)
    if (theirs == name.theirs)
      return name.ours;
  config.wrong("hidden_act",
               "silu, relu, relu2, gelu, gelu_new, gelu_pytorch_tanh, quick_gelu or xielu");
  return "silu";
}

std::string imports::routerText(JsonConfig& config, const RouterDefaults& defaults, Notes& notes) {
  std::string out;
  const std::string score = config.text("scoring_func", defaults.sigmoid ? "sigmoid" : "softmax");
  if (score != "softmax")
    appendField(out, "score_function = sigmoid");
  if (!config.flag("norm_topk_prob", defaults.normalized))
    appendField(out, "normalized = false");
  if (const double scaling = config.real("routed_scaling_factor", defaults.scaling); scaling != 1)
    appendField(out, "scaling_factor = " + realText(scaling));
  if (const std::uint64_t groups = config.count("n_group", defaults.groups, 1); groups > 1)
    appendField(out,
                fmt::format("groups = {}, group_top_k = {}", groups,
                            config.count("topk_group", defaults.limit > 1 ? defaults.limit : groups,
                                         groups)));
  if (defaults.fp32)
    appendField(out, "precision = fp32");
  if (const double loss = config.real(defaults.lossKey, defaults.loss); loss > 0)
    appendField(out, fmt::format("balance = {} {{ coefficient = {} }}",
                                 defaults.sequence && config.flag("seq_aux", true) ? "seq_aux_loss"
                                                                                   : "aux_loss",
                                 realText(loss)));
  if (const double jitter = config.real("router_jitter_noise", defaults.jitter); jitter > 0)
    appendField(out, "input_jitter = " + realText(jitter));
  if (config.text("topk_method", defaults.bias ? "noaux_tc" : "greedy") == "noaux_tc") {
    appendField(out, "bias_update_rate = 0.001");
    notes.emplace_back("The step of the bias on the choice of experts, 0.001, is DeepSeek-V3's "
                       "(arXiv 2412.19437); the file has none.");
  }
  return out;
}

std::vector<std::string> imports::factLines(JsonConfig& config, const Architecture& a,
                                            std::uint64_t hidden, std::uint64_t headDim,
                                            Notes& notes) {
  std::vector<std::string> out;
  if (const std::string norm = normText(config, a.norm); norm != "rms")
    out.push_back("norm = " + norm);
  if (const std::string positions = positionsText(config, a, headDim, notes); positions != "rotary")
    out.push_back("positions = " + positions);
  const double initialization =
      a.initialization > 0 ? a.initialization : 2 / std::sqrt(5 * static_cast<double>(hidden));
  if (const double deviation = config.real("initializer_range", initialization); deviation != 0.02)
    out.push_back("init_std = " + realText(deviation));
  const double scale =
      config.real("embedding_multiplier",
                  a.scaledEmbeddings ? std::sqrt(static_cast<double>(hidden)) : a.embeddingScale);
  if (scale != 1)
    out.push_back("embedding_scale = " + realText(scale));
  if (a.embeddingNorm)
    out.emplace_back("embedding_norm = true");
  if (a.postNorms && config.flag("use_post_norm", true) && config.flag("use_sandwich_norm", true))
    out.emplace_back("post_norms = true");
  if (const double cap = config.real("final_logit_softcapping", a.logitCap); cap > 0)
    out.push_back("softcap = " + realText(cap));
  biasLines(config, a, out, notes);
  if (isSet(config, a.tied))
    out.emplace_back("tied_embeddings = true");
  if (isSet(config, a.qkNorm))
    out.push_back(fmt::format("qk_norm = {}", a.qkNormKind));
  if (const std::uint64_t prediction =
          config.count("num_nextn_predict_layers", a.predictionLayers, 0))
    out.push_back(fmt::format("mtp_layers = {}", prediction));
  // Later Falcon models always compute both parts in parallel.
  if (isSet(config, a.parallel) || config.flag("new_decoder_architecture", false))
    out.emplace_back(parallelNorms(config, a) > 1 ? "blocks = parallel { norms = 2 }"
                                                  : "blocks = parallel");
  if (const std::string dropout = dropoutText(config, a.dropout); !dropout.empty())
    out.push_back("dropout { " + dropout + " }");
  if (a.logitScale != 1 && config.shown("logit_scale").empty() &&
      !config.holds("logit_scale", Json::JsonKind::Null))
    notes.push_back(fmt::format("Not imported: logit_scale is {}.", a.logitScale));
  for (const char* key : {"logit_scale", "logits_scaling", "residual_multiplier", "clip_qkv"})
    if (const std::string value = config.shown(key); !value.empty() && value != "1.0")
      notes.push_back(fmt::format("Not imported: {} is {}.", key, value));
  return out;
}
