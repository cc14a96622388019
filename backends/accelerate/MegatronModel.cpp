//===- MegatronModel.cpp - The model that Megatron-LM builds for Accelerate -------------------===//
// The plug-in reads layers, hidden size, heads, vocabulary and positions from the script's model.
// For other options it has the values of GPT-2 (parse_llama_config of
// accelerate/utils/dataclasses.py), so this file sets them.
#include "backends/accelerate/Accelerate.h"
#include "backends/megatron/Arguments.h"

using namespace dpl;
using namespace dpl::accelerate;

namespace {

/// The attribute of Megatron-LM's arguments that an option sets, and the value that it has if it is
/// a flag.
std::pair<std::string, bool> attributeOf(llvm::StringRef option) {
  if (option == "--no-rope-fusion")
    return {"apply_rope_fusion", false};
  if (option == "--disable-bias-linear")
    return {"add_bias_linear", false};
  if (option == "--norm-epsilon")
    return {"layernorm_epsilon", true};
  if (option == "--apply-layernorm-1p")
    return {"layernorm_zero_centered_gamma", true};
  const bool off = option.consume_front("--no-");
  option.consume_front("--");
  std::string name = option.str();
  std::replace(name.begin(), name.end(), '-', '_');
  return {name, !off};
}

/// Converts the text of an option: a number if it is one, otherwise text.
Json valueOf(const std::string& text) {
  const Json value = Json::parse(text);
  return value.is_number() ? value : Json(text);
}

Json patternOf(const std::vector<bool>& layers) {
  Json out = Json::array();
  for (const bool layer : layers)
    out.push_back(layer ? 1 : 0);
  return out;
}

} // namespace

Json dpl::accelerate::otherMegatronArguments(const ir::Plan& plan) {
  const megatron::MegatronLayout s(plan, megatronRequest(plan).release);
  std::vector<std::string> tokens = megatron::modelArguments(s).tokens;
  if (s.routed) {
    const std::vector<std::string> more = megatron::expertArguments(s).tokens;
    tokens.insert(tokens.end(), more.begin(), more.end());
  }
  if (!plan.layout.fusedAttention)
    tokens.insert(tokens.end(), {"--attention-backend", "unfused"});
  if (plan.layout.kernels.loss == ir::LossKind::Fused)
    tokens.emplace_back("--cross-entropy-loss-fusion");
  Json out = Json::object();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto [name, on] = attributeOf(tokens[i]);
    const bool flag = i + 1 == tokens.size() || llvm::StringRef(tokens[i + 1]).startswith("--");
    if (flag)
      out[name] = on;
    else
      out[name] = valueOf(tokens[++i]);
  }
  // These arguments are lists, even if the command line has one value.
  for (const char* name : {"moe_router_load_balancing_type", "moe_aux_loss_coeff"})
    if (out.contains(name))
      out[name] = Json::array({out[name]});
  if (out.contains("window_size"))
    out["window_size"] = {s.window - 1, 0};
  if (out.contains("window_attn_skip_freq"))
    out["window_attn_skip_freq"] = patternOf(s.windowLayers);
  if (out.contains("moe_layer_freq"))
    out["moe_layer_freq"] = patternOf(s.expertLayers);
  return out;
}
