//===- ModelFields.cpp - Fields of the model that a launch trains -----------------------------===//
//
// The defaults are those of the argument parser of Megatron-LM 0.19.
#include "frontend/import/megatron/ModelFields.h"
#include "frontend/import/BlockText.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::megatron;

namespace {

std::string block(const std::string& choice, const std::string& fields) {
  return fields.empty() ? choice : choice + " { " + fields + " }";
}

void append(std::string& out, const std::string& field) {
  out += (out.empty() ? "" : ", ") + field;
}

/// Latent attention uses YaRN by default. With plain RoPE, Megatron-LM scales only the scores.
std::string latentScaling(LaunchOptions& launch) {
  const bool yarn = launch.choice("--rope-type", "yarn", {"rope", "yarn"}) == "yarn";
  const double factor = launch.real("--rotary-scaling-factor", 1);
  const double mscale = launch.real("--mscale", 1), all = launch.real("--mscale-all-dim", 0);
  if (!yarn && factor != 1 && all != 0)
    launch.wrong("--rotary-scaling-factor", "1 with `--rope-type rope`: a plan scales the scores "
                                            "of latent attention with YaRN only");
  if (!yarn || factor == 1)
    return "";
  return fmt::format(
      "yarn {{ factor = {}, original_context = 4096tok, mscale = {}, mscale_all_dim = {} }}",
      number(factor), number(mscale), number(all));
}

std::string yarnScaling(LaunchOptions& launch) {
  std::string fields = fmt::format(
      "factor = {}, original_context = {}tok, beta_fast = {}, beta_slow = {}, mscale = {}, "
      "mscale_all_dim = {}",
      number(launch.real("--rotary-scaling-factor", 1)),
      launch.count("--yarn-original-max-position-embeddings", 4096),
      number(launch.real("--yarn-beta-fast", 32)), number(launch.real("--yarn-beta-slow", 1)),
      number(launch.real("--mscale", 1)), number(launch.real("--mscale-all-dim", 0)));
  (void)launch.flag("--yarn-correction-range-round-to-int");
  if (launch.flag("--no-yarn-correction-range-round-to-int"))
    fields += ", truncate = false";
  return "yarn { " + fields + " }";
}

std::string scalingOf(LaunchOptions& launch, bool yarn) {
  for (const char* option :
       {"--rotary-scaling-factor", "--mscale", "--mscale-all-dim", "--yarn-beta-fast",
        "--yarn-beta-slow", "--yarn-original-max-position-embeddings"})
    (void)launch.text(option); // these options have no effect unless they are read below
  if (launch.flag("--multi-latent-attention"))
    return latentScaling(launch);
  if (!yarn)
    launch.haveNoEffect({"--rotary-scaling-factor", "--mscale", "--mscale-all-dim",
                         "--yarn-beta-fast", "--yarn-beta-slow",
                         "--yarn-original-max-position-embeddings"});
  if (yarn)
    return yarnScaling(launch);
  (void)launch.choice("--rope-type", "rope", {"rope"});
  (void)launch.real("--rope-scaling-factor", 8); // the model does not use it
  if (launch.flag("--use-rope-scaling"))
    return "llama3";
  if (const std::uint64_t factor = launch.count("--rotary-seq-len-interpolation-factor", 0))
    return fmt::format("linear {{ factor = {}.0 }}", factor);
  return "";
}

std::string balanceOf(LaunchOptions& launch, bool bias) {
  const std::string kind =
      launch.choice("--moe-router-load-balancing-type", "aux_loss",
                    {"aux_loss", "seq_aux_loss", "global_aux_loss", "sinkhorn", "none"});
  const double coefficient = launch.real("--moe-aux-loss-coeff", 0, NumberRange::NotNegative);
  if (kind == "sinkhorn")
    return "sinkhorn";
  if (kind == "none" || coefficient == 0)
    return bias ? "" : "none";
  return fmt::format("{} {{ coefficient = {} }}",
                     kind == "aux_loss"       ? "aux_loss"
                     : kind == "seq_aux_loss" ? "seq_aux_loss"
                                              : "global_aux_loss",
                     number(coefficient));
}

} // namespace

std::uint64_t dpl::imports::megatron::vocabularyOf(LaunchOptions& launch) {
  if (!launch.has("--padded-vocab-size"))
    return launch.needed("--vocab-size");
  (void)launch.text("--vocab-size"); // with this option the padded vocabulary size is used as it is
  return launch.count("--padded-vocab-size", 1);
}

// build_tokenizer.py passes --vocab-size only to the other tokenizers.
std::string dpl::imports::megatron::countingTokenizer(LaunchOptions& launch) {
  if (!launch.has("--vocab-size") || launch.has("--padded-vocab-size"))
    return "";
  const std::string kind = launch.text("--tokenizer-type");
  const bool told =
      kind == "NullTokenizer" || kind == "NullMultimodalTokenizer" || kind == "TikTokenizer";
  return told || llvm::StringRef(kind).contains('$') ? "" : kind;
}

std::string dpl::imports::megatron::normOf(LaunchOptions& launch) {
  const std::string norm = launch.choice("--normalization", "LayerNorm", {"LayerNorm", "RMSNorm"});
  std::string fields;
  if (const double epsilon = launch.real("--norm-epsilon", 1e-5, NumberRange::Positive);
      epsilon != 1e-5)
    append(fields, "epsilon = " + number(epsilon));
  if (launch.flag("--apply-layernorm-1p"))
    append(fields, "zero_centered = true");
  return block(norm == "RMSNorm" ? "rms" : "layer", fields);
}

std::string dpl::imports::megatron::dropoutOf(LaunchOptions& launch) {
  std::string fields;
  for (const auto& [option, name] :
       {std::pair("--attention-dropout", "attention"), std::pair("--hidden-dropout", "hidden")}) {
    const double share = launch.real(option, 0.1, NumberRange::Share);
    if (share > 0)
      append(fields, fmt::format("{} = {}", name, number(share)));
  }
  return fields;
}

std::string dpl::imports::megatron::positionsOf(LaunchOptions& launch) {
  std::string kind = launch.choice("--position-embedding-type", "learned_absolute",
                                   {"learned_absolute", "rope", "yarn", "alibi", "none"});
  if (launch.flag("--use-rotary-position-embeddings"))
    kind = "rope";
  if (launch.flag("--no-position-embedding") && kind != "rope") // it has no effect with rotary
                                                                // positions
    launch.refused("--no-position-embedding",
                   "it takes --no-position-embedding with --position-embedding-type rope only "
                   "(RuntimeError when it reads its arguments)",
                   {"--position-embedding-type"});
  const double base = launch.real("--rotary-base", 10'000);
  const double share = launch.real("--rotary-percent", 1);
  const std::string scaling = scalingOf(launch, kind == "yarn");
  // Latent attention has rotary positions, whatever the option says.
  if (kind != "rope" && kind != "yarn" && !launch.flag("--multi-latent-attention"))
    launch.haveNoEffect({"--rotary-base", "--rotary-percent", "--use-rope-scaling",
                         "--rotary-seq-len-interpolation-factor"});
  if (kind == "learned_absolute")
    return "learned";
  if (kind == "none" || kind == "alibi")
    return kind;
  std::string fields;
  if (base != 10'000)
    append(fields, "base = " + number(base));
  if (share != 1)
    append(fields, "fraction = " + number(share));
  if (!scaling.empty())
    append(fields, "scaling = " + scaling);
  return block("rotary", fields);
}

ActivationText dpl::imports::megatron::activationOf(LaunchOptions& launch) {
  // Forks have this option, and NeMo's `activation` can have this value.
  const bool geglu = launch.flag("--geglu");
  const bool swiglu = launch.flag("--swiglu"), squared = launch.flag("--squared-relu"),
             quick = launch.flag("--quick-geglu"), bias = !launch.flag("--disable-bias-linear"),
             separate = launch.flag("--no-bias-gelu-fusion"),
             openai = !swiglu && !squared && !quick && launch.flag("--openai-gelu");
  const double offset = launch.real("--glu-linear-offset", 0),
               clamp = launch.real("--activation-func-clamp-value", 0);
  if (swiglu && (squared || quick))
    launch.excluded("--swiglu", "another activation is set (AssertionError when it makes its "
                                "configuration)");
  ActivationText out;
  out.swiglu = swiglu;
  out.gated = swiglu || geglu || (quick && !squared);
  if (squared)
    out.fields = ", activation = squared_relu";
  else if (quick)
    out.fields = ", activation = quick_gelu";
  else if (openai || (!swiglu && (bias || geglu) && !separate))
    // The fused kernels of Megatron-LM also compute the tanh approximation of GELU.
    out.fields = ", activation = gelu_tanh";
  if (!out.gated)
    launch.haveNoEffect({"--glu-linear-offset", "--activation-func-clamp-value"});
  if (out.gated && offset != 0)
    out.fields += ", offset = " + number(offset);
  if (out.gated && clamp != 0)
    out.fields += ", clamp = " + number(clamp);
  return out;
}

std::string dpl::imports::megatron::routerOf(LaunchOptions& launch, std::uint64_t active) {
  const bool sigmoid =
      launch.choice("--moe-router-score-function", "softmax", {"softmax", "sigmoid"}) == "sigmoid";
  const bool before = launch.flag("--moe-router-pre-softmax");
  // A bias whose update rate is 0 does not balance loads and takes no time.
  const double rate = launch.real("--moe-router-bias-update-rate", 1e-3);
  const bool bias = launch.flag("--moe-router-enable-expert-bias") && rate != 0;
  if (!launch.flag("--moe-router-enable-expert-bias"))
    launch.haveNoEffect({"--moe-router-bias-update-rate"});
  const std::string balance = balanceOf(launch, bias);
  if (active == 1 && !sigmoid && !before && balance != "sinkhorn")
    launch.refused(
        "--moe-router-topk",
        "routing to one expert needs --moe-router-pre-softmax (ValueError when it "
        "makes its configuration)",
        {"--moe-router-topk", "--moe-router-score-function", "--moe-router-load-balancing-type"});
  std::string out;
  if (sigmoid)
    append(out, "score_function = sigmoid");
  if (!sigmoid && before != (active == 1))
    append(out, before ? "normalized = false" : "normalized = true");
  if (const double factor =
          launch.real("--moe-router-topk-scaling-factor", 1, NumberRange::Positive);
      factor != 1)
    append(out, "scaling_factor = " + number(factor));
  if (const std::uint64_t groups = launch.count("--moe-router-num-groups", 1); groups > 1)
    append(out, fmt::format("groups = {}, group_top_k = {}", groups,
                            launch.count("--moe-router-group-topk", groups)));
  if (!launch.choice("--moe-router-dtype", "", {"fp32"}).empty())
    append(out, "precision = fp32");
  if (!balance.empty())
    append(out, "balance = " + balance);
  if (bias)
    append(out, "bias_update_rate = " + number(rate));
  if (const double loss = launch.real("--moe-z-loss-coeff", 0, NumberRange::NotNegative); loss != 0)
    append(out, "z_loss = " + number(loss));
  if (const double jitter = launch.real("--moe-input-jitter-eps", 0, NumberRange::Share);
      jitter != 0)
    append(out, "input_jitter = " + number(jitter));
  const std::string policy =
      launch.choice("--moe-token-drop-policy", "probs", {"probs", "position"});
  if (policy == "position" && launch.real("--moe-expert-capacity-factor", 0) > 0)
    append(out, "drop_policy = position");
  return out;
}
