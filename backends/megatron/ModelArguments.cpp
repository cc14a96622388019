//===- ModelArguments.cpp - A model as options of pretrain_gpt.py -----------------------------===//
#include "backends/megatron/Arguments.h"
#include "ir/Names.h"
#include "ir/SetInFile.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::megatron;

namespace {

/// A pattern of layers as runs of 0 and 1, "([0]*3+[1]*58)": the format of --moe-layer-freq and
/// --window-attn-skip-freq.
std::string patternOf(const std::vector<bool>& layers) {
  std::string out;
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t end = i;
    while (end < layers.size() && layers[end] == layers[i])
      ++end;
    out += fmt::format("{}[{}]*{}", out.empty() ? "" : "+", layers[i] ? 1 : 0, end - i);
    i = end;
  }
  return "(" + out + ")";
}

/// The pattern of layers with a window. It is a number n if every n-th layer has none, counted from
/// 1.
std::string windowPattern(const std::vector<bool>& layers) {
  const std::size_t step =
      1 + static_cast<std::size_t>(std::find(layers.begin(), layers.end(), false) - layers.begin());
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (layers[i] != ((i + 1) % step != 0))
      return patternOf(layers);
  return std::to_string(step);
}

bool everywhere(const std::vector<bool>& layers) {
  return std::find(layers.begin(), layers.end(), false) == layers.end();
}

void activationArguments(const MegatronLayout& s, ArgumentWriter& g) {
  const ir::FeedForward& f = *(s.dense ? s.dense : s.routed);
  switch (f.activation) {
  case ir::Activation::Silu:
    g.flag("--swiglu");
    if (s.plan.layout.kernels.activation == ir::KernelKind::Separate)
      g.flag("--no-bias-swiglu-fusion");
    break;
  case ir::Activation::QuickGelu:
    g.flag("--quick-geglu");
    break;
  case ir::Activation::SquaredRelu:
    g.flag("--squared-relu");
    break;
  case ir::Activation::Gelu:
  case ir::Activation::GeluTanh:
  case ir::Activation::Relu: // both are refused
  case ir::Activation::Xielu:
    break;
  }
  // The fused kernel of bias and GELU computes the tanh approximation, and no other ungated
  // activation has one.
  if (s.plan.model.bias && !s.gated() && f.activation != ir::Activation::GeluTanh)
    g.flag("--no-bias-gelu-fusion");
  if (f.activation == ir::Activation::QuickGelu) {
    if (s.dense && s.plan.model.bias)
      g.flag("--no-bias-gelu-fusion"); // only experts have the fused kernel of QuickGELU
    g.set("--glu-linear-offset", f.offset);
    if (f.clamp > 0)
      g.set("--activation-func-clamp-value", f.clamp);
  }
}

void windowArguments(const MegatronLayout& s, ArgumentWriter& g) {
  if (s.window == 0)
    return;
  g.set("--window-size", fmt::format("{},0", s.window - 1));
  if (!everywhere(s.windowLayers))
    g.set("--window-attn-skip-freq", windowPattern(s.windowLayers));
}

void latentArguments(const MegatronLayout& s, const ir::Attention& a, ArgumentWriter& g) {
  const ir::RotaryScaling& scaling = s.plan.model.rotary.scaling;
  g.flag("--multi-latent-attention");
  g.set("--kv-channels", a.value); // the default, hidden / heads, may not be a whole number
  if (a.queryRank > 0)
    g.set("--q-lora-rank", a.queryRank);
  g.set("--kv-lora-rank", a.kvRank);
  g.set("--qk-head-dim", a.nope);
  g.set("--qk-pos-emb-head-dim", a.rope);
  g.set("--v-head-dim", a.value);
  // Without this flag MLA does not normalize compressed queries and keys.
  g.flag("--qk-layernorm");
  windowArguments(s, g);
  // The default type is YaRN. The factors also scale scores with the other type, so they are set to
  // 1 and 0.
  const bool yarn = scaling.kind == ir::RotaryScalingKind::Yarn;
  g.set("--rope-type", yarn ? "yarn" : "rope");
  g.set("--rotary-scaling-factor", yarn ? scaling.factor : 1.0);
  g.set("--mscale", yarn ? scaling.mscale : 1.0);
  g.set("--mscale-all-dim", yarn ? scaling.mscaleAll : 0.0);
  g.flag("--no-rope-fusion"); // the fused kernels support only YaRN
}

void groupedArguments(const MegatronLayout& s, const ir::Attention& a, ArgumentWriter& g) {
  if (s.plan.layout.kernels.rotary == ir::KernelKind::Separate &&
      s.plan.model.positions == ir::PositionKind::Rotary)
    g.flag("--no-rope-fusion");
  g.set("--kv-channels", a.headDim);
  if (a.kvHeads != a.heads) {
    g.flag("--group-query-attention");
    g.set("--num-query-groups", a.kvHeads);
  }
  if (s.plan.model.qkNorm == ir::QkNorm::Head)
    g.flag("--qk-layernorm");
  if (s.plan.model.qkNorm == ir::QkNorm::L2)
    g.flag("--qk-l2-norm");
  windowArguments(s, g);
  g.set("--softmax-type", a.sinks ? "learnable" : "vanilla");
}

void positionArguments(const MegatronLayout& s, ArgumentWriter& g) {
  const ir::Model& m = s.plan.model;
  const ir::RotaryScaling& scaling = m.rotary.scaling;
  const bool latent = s.attention->kind == ir::AttentionKind::Latent;
  const bool yarn = scaling.kind == ir::RotaryScalingKind::Yarn && !latent;
  g.set("--position-embedding-type", m.positions == ir::PositionKind::Learned ? "learned_absolute"
                                     : m.positions == ir::PositionKind::None  ? "none"
                                     : yarn                                   ? "yarn"
                                                                              : "rope");
  if (m.positions != ir::PositionKind::Rotary)
    return;
  g.set("--rotary-base", fmt::format("{:.0f}", m.rotary.base)); // the option is an integer
  g.set("--rotary-percent", m.rotary.share);
  if (scaling.kind == ir::RotaryScalingKind::Linear)
    g.set("--rotary-seq-len-interpolation-factor", fmt::format("{:.0f}", scaling.factor));
  if (scaling.kind == ir::RotaryScalingKind::Llama3) {
    g.flag("--use-rope-scaling");
    g.set("--rope-scaling-factor", scaling.factor);
  }
  if (!yarn)
    return;
  g.set("--rotary-scaling-factor", scaling.factor);
  g.set("--yarn-original-max-position-embeddings", scaling.original);
  g.set("--yarn-beta-fast", scaling.fast);
  g.set("--yarn-beta-slow", scaling.slow);
  g.set("--mscale", scaling.mscale);
  g.set("--mscale-all-dim", scaling.mscaleAll);
  g.flag(scaling.rounded ? "--yarn-correction-range-round-to-int"
                         : "--no-yarn-correction-range-round-to-int");
}

void routerArguments(const ir::FeedForward& f, ArgumentWriter& g) {
  const ir::Router& r = f.router;
  const bool sigmoid = r.score == ir::RouterScore::Sigmoid;
  g.set("--moe-router-score-function", sigmoid ? "sigmoid" : "softmax");
  if (!sigmoid && !r.normalized)
    g.flag("--moe-router-pre-softmax");
  if (r.groups > 1) {
    g.set("--moe-router-num-groups", r.groups);
    g.set("--moe-router-group-topk", r.groupLimit);
  }
  if (r.scaling != 1)
    g.set("--moe-router-topk-scaling-factor", r.scaling);
  if (r.hasPrecision && r.precision == ir::DataType::FP32)
    g.set("--moe-router-dtype", "fp32");
  const char* balance = "none";
  switch (r.balance) {
  case ir::Balance::Unset:
  case ir::Balance::Off:
    break;
  case ir::Balance::Auxiliary:
    balance = "aux_loss";
    break;
  case ir::Balance::Sequence:
    balance = "seq_aux_loss";
    break;
  case ir::Balance::WholeBatch:
    balance = "global_aux_loss";
    break;
  case ir::Balance::Sinkhorn:
    balance = "sinkhorn";
    break;
  }
  g.set("--moe-router-load-balancing-type", balance);
  g.set("--moe-aux-loss-coeff", r.coefficient);
  if (r.biasRate > 0) {
    g.flag("--moe-router-enable-expert-bias");
    g.set("--moe-router-bias-update-rate", r.biasRate);
  }
  if (r.zLoss > 0)
    g.set("--moe-z-loss-coeff", r.zLoss);
  if (r.jitter > 0)
    g.set("--moe-input-jitter-eps", r.jitter);
  if (f.capacity > 0) {
    g.set("--moe-expert-capacity-factor", f.capacity);
    g.set("--moe-token-drop-policy", r.drop == ir::DropPolicy::Last ? "position" : "probs");
    if (f.padded)
      g.flag("--moe-pad-expert-input-to-capacity");
  }
}

/// The token dispatcher. A default that cannot run is replaced: DeepEP and Hybrid-EP need several
/// expert ranks and inputs without padding, so all-to-all takes their place. Before 0.16, DeepEP is
/// used instead of Hybrid-EP.
ir::DispatchKind dispatchOf(const MegatronLayout& s, bool hasBackends) {
  using enum ir::DispatchKind;
  const ir::DispatchKind of = s.plan.layout.kernels.dispatch;
  if (ir::isSetInFile(s.plan, "kernels.token_dispatcher") || of == AllGather)
    return of;
  if (s.expert * s.expertTensor == 1 || s.routed->padded)
    return AllToAll;
  return of == HybridEp && !hasBackends ? DeepEp : of;
}

void dispatchArguments(const MegatronLayout& s, ArgumentWriter& g) {
  const ir::Kernels& kernels = s.plan.layout.kernels;
  if (kernels.permutation == ir::KernelKind::Fused)
    g.flag("--moe-permute-fusion");
  if (kernels.router == ir::KernelKind::Fused)
    g.flag("--moe-router-fusion");
  const bool hasBackends = s.release.any() || !(s.release < Release("0.16"));
  const ir::DispatchKind dispatch = dispatchOf(s, hasBackends);
  const bool own = dispatch == ir::DispatchKind::DeepEp || dispatch == ir::DispatchKind::HybridEp;
  g.set("--moe-token-dispatcher-type", own ? "flex" : ir::name(dispatch));
  if (dispatch == ir::DispatchKind::DeepEp && !hasBackends)
    g.flag("--moe-enable-deepep");
  else if (own)
    g.set("--moe-flex-dispatcher-backend", ir::name(dispatch));
}

} // namespace

void ArgumentWriter::set(std::string option, double value) {
  set(std::move(option), fmt::format("{}", value));
}

ArgumentGroup dpl::megatron::modelArguments(const MegatronLayout& s) {
  const ir::Model& m = s.plan.model;
  const ir::Attention& a = *s.attention;
  ArgumentWriter g("model");
  g.set("--num-layers", m.layers());
  g.set("--hidden-size", m.hidden);
  g.set("--ffn-hidden-size", (s.dense ? s.dense : s.routed)->width);
  activationArguments(s, g);
  g.set("--num-attention-heads", a.heads);
  if (a.kind == ir::AttentionKind::Latent)
    latentArguments(s, a, g);
  else
    groupedArguments(s, a, g);
  g.set("--normalization", m.norm == ir::NormKind::Rms ? "RMSNorm" : "LayerNorm");
  g.set("--norm-epsilon", m.normEpsilon);
  if (m.normCentered)
    g.flag("--apply-layernorm-1p");
  positionArguments(s, g);
  g.set("--seq-length", m.context);
  g.set("--max-position-embeddings", m.context);
  g.set("--vocab-size", m.vocab);
  g.set("--make-vocab-size-divisible-by", s.plan.layout.vocabMultiple);
  if (!m.tiedEmbeddings)
    g.flag("--untie-embeddings-and-output-weights");
  if (!m.bias)
    g.flag("--disable-bias-linear");
  if (!m.bias && m.qkvBias)
    g.flag("--add-qkv-bias");
  if (m.predictionLayers > 0)
    g.set("--mtp-num-layers", m.predictionLayers);
  g.set("--init-method-std", m.initialization);
  g.set("--attention-dropout", m.attentionDropout); // the defaults are 0.1
  g.set("--hidden-dropout", m.hiddenDropout);
  return g;
}

ArgumentGroup dpl::megatron::expertArguments(const MegatronLayout& s) {
  const ir::FeedForward& f = *s.routed;
  ArgumentWriter g("experts");
  g.set("--num-experts", f.experts);
  if (!everywhere(s.expertLayers))
    g.set("--moe-layer-freq", patternOf(s.expertLayers));
  g.set("--moe-ffn-hidden-size", f.width);
  g.set("--moe-router-topk", f.active);
  routerArguments(f, g);
  if (f.shared > 0)
    g.set("--moe-shared-expert-intermediate-size", f.shared * f.sharedWidth);
  g.flag("--moe-grouped-gemm");
  dispatchArguments(s, g);
  g.set("--expert-model-parallel-size", s.expert);
  g.set("--expert-tensor-parallel-size", s.expertTensor);
  return g;
}
