//===- HuggingFaceFacts.cpp - What a config.json says of a model beside its shape -------------===//
//
// Version 5 of transformers keeps rotary positions in `rope_parameters`, before in `rope_theta` and
// `rope_scaling`.
#include "imports/HuggingFaceFacts.h"
#include "imports/Architectures.h"
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;

namespace {

void append(std::string& out, const std::string& field) {
  out += (out.empty() ? "" : ", ") + field;
}

std::string whole(std::uint64_t tokens) { return std::to_string(tokens) + "tok"; }

std::string yarnText(JsonConfig& rope, std::uint64_t context) {
  const double factor = rope.real("factor", 1);
  // transformers takes the context where the original length is left out.
  std::string out = fmt::format("factor = {}, original = {}", realText(factor),
                                whole(rope.count("original_max_position_embeddings", context)));
  if (const double fast = rope.real("beta_fast", 32); fast != 32)
    append(out, "fast = " + realText(fast));
  if (const double slow = rope.real("beta_slow", 1); slow != 1)
    append(out, "slow = " + realText(slow));
  if (const double mscale = rope.real("mscale", 1); mscale != 1)
    append(out, "mscale = " + realText(mscale));
  if (const double all = rope.real("mscale_all_dim", 0); all != 0)
    append(out, "mscale_all = " + realText(all));
  if (!rope.flag("truncate", true))
    append(out, "rounded = false");
  return "yarn { " + out + " }";
}

std::string scalingText(JsonConfig& rope, std::uint64_t context) {
  const std::string type = rope.text("rope_type", rope.text("type", "default"));
  if (type == "default")
    return "";
  if (type == "linear")
    return fmt::format("linear {{ factor = {} }}", realText(rope.real("factor", 1)));
  if (type == "yarn")
    return yarnText(rope, context);
  if (type == "llama3")
    return fmt::format("llama3 {{ factor = {}, low = {}, high = {}, original = {} }}",
                       realText(rope.real("factor", 8)), realText(rope.real("low_freq_factor", 1)),
                       realText(rope.real("high_freq_factor", 4)),
                       whole(rope.count("original_max_position_embeddings", 8192)));
  rope.wrong(rope.has("rope_type") ? "rope_type" : "type", "default, linear, llama3 or yarn");
  return "";
}

} // namespace

std::string imports::realText(double value) {
  std::string out = fmt::format("{}", value);
  const std::size_t exponent = out.find('e');
  if (out.find('.') == std::string::npos)
    out.insert(exponent == std::string::npos ? out.size() : exponent, ".0");
  return out;
}

std::string imports::normText(JsonConfig& config, const char* key, const char* kind, bool centered,
                              const FactDefaults& defaults) {
  std::string fields;
  if (const double epsilon = config.real(key, defaults.epsilon); epsilon != 1e-5)
    append(fields, "epsilon = " + realText(epsilon));
  if (centered)
    append(fields, "centered = true");
  return fields.empty() ? kind : fmt::format("{} {{ {} }}", kind, fields);
}

std::string imports::rotaryText(JsonConfig& config, const FactDefaults& defaults) {
  const bool joined = config.has("rope_parameters");
  JsonConfig rope = config.inside(joined ? "rope_parameters" : "rope_scaling");
  if (joined && rope.has("full_attention")) // of models whose windows have positions of their own
    rope.enter("full_attention");
  const double base = (joined ? rope : config).real("rope_theta", defaults.base);
  const double share = (joined && rope.has("partial_rotary_factor") ? rope : config)
                           .real("partial_rotary_factor", defaults.share);
  const std::string scaling = scalingText(rope, config.count("max_position_embeddings", 4096));
  config.take(rope);
  std::string fields;
  if (base != 10'000)
    append(fields, "base = " + realText(base));
  if (share != 1)
    append(fields, "share = " + realText(share));
  if (!scaling.empty())
    append(fields, "scaling = " + scaling);
  return fields.empty() ? "rotary" : "rotary { " + fields + " }";
}

std::string imports::activationText(JsonConfig& config, const char* key,
                                    const FactDefaults& defaults) {
  struct Name {
    const char* theirs;
    const char* ours;
  };
  constexpr Name names[] = {{"silu", "silu"},
                            {"swish", "silu"},
                            {"relu", "relu"},
                            {"relu2", "squared_relu"},
                            {"gelu", "gelu"},
                            {"gelu_new", "gelu_tanh"},
                            {"gelu_fast", "gelu_tanh"},
                            {"gelu_pytorch_tanh", "gelu_tanh"},
                            {"quick_gelu", "quick_gelu"}};
  const std::string theirs = config.text(key, defaults.activation);
  for (const Name& name : names)
    if (theirs == name.theirs)
      return name.ours;
  config.wrong(key, "silu, relu, relu2, gelu, gelu_new, gelu_pytorch_tanh or quick_gelu");
  return "silu";
}

std::string imports::deepSeekRouter(JsonConfig& config, bool third) {
  std::string out;
  const bool sigmoid = config.text("scoring_func", third ? "sigmoid" : "softmax") == "sigmoid";
  if (sigmoid)
    append(out, "score = sigmoid");
  if (!config.flag("norm_topk_prob", third))
    append(out, "normalized = false");
  if (const double scaling = config.real("routed_scaling_factor", third ? 2.5 : 1); scaling != 1)
    append(out, "scaling = " + realText(scaling));
  if (const std::uint64_t groups = config.count("n_group", third ? 8 : 1, 1); groups > 1)
    append(out, fmt::format("groups = {}, group_limit = {}", groups,
                            config.count("topk_group", third ? 4 : groups, groups)));
  append(out, "precision = fp32");
  // DeepSeek-V3's file leaves it out; it is that of arXiv 2412.19437, section 4.2.
  if (const double loss = config.real("aux_loss_alpha", third ? 0.0001 : 0.001); loss > 0)
    append(out,
           fmt::format("balance = {} {{ coefficient = {} }}",
                       config.flag("seq_aux", true) ? "sequence" : "auxiliary", realText(loss)));
  if (config.text("topk_method", third ? "noaux_tc" : "greedy") == "noaux_tc")
    append(out, "bias_rate = 0.001");
  return out;
}

std::string imports::softmaxRouter(JsonConfig& config, bool normalized) {
  std::string out;
  if (!normalized)
    append(out, "normalized = false");
  if (const double loss = config.real("router_aux_loss_coef", 0.001); loss > 0)
    append(out, fmt::format("balance = auxiliary {{ coefficient = {} }}", realText(loss)));
  if (const double jitter = config.real("router_jitter_noise", 0); jitter > 0)
    append(out, "jitter = " + realText(jitter));
  return out;
}

std::vector<std::string> imports::factLines(JsonConfig& config, const Architecture& a,
                                            std::uint64_t hidden) {
  const bool gpt2 = a.family == Family::Gpt2;
  std::vector<std::string> out;
  const bool layer = gpt2 || a.family == Family::Nemotron;
  const char* epsilon = gpt2                           ? "layer_norm_epsilon"
                        : a.family == Family::Nemotron ? "norm_eps"
                                                       : "rms_norm_eps";
  const bool gemma = a.family == Family::Gemma;
  if (const std::string norm = normText(config, epsilon, layer ? "layer" : "rms",
                                        gemma || a.family == Family::Nemotron, a.facts);
      norm != "rms")
    out.push_back("norm = " + norm);
  const std::string positions = gpt2 ? "learned" : rotaryText(config, a.facts);
  if (positions != "rotary")
    out.push_back("positions = " + positions);
  if (const double deviation = config.real("initializer_range", 0.02); deviation != 0.02)
    out.push_back("initialization = " + realText(deviation));
  if (gemma)
    out.push_back("embedding_scale = " + realText(std::sqrt(static_cast<double>(hidden))));
  if (gemma && llvm::StringRef(a.type) != "gemma")
    out.push_back("post_norms = true");
  const bool capped = llvm::StringRef(a.type) == "gemma2";
  if (const double cap = config.real("final_logit_softcapping", capped ? 30 : 0); cap > 0)
    out.push_back("softcap = " + realText(cap));
  return out;
}
