//===- CheckFacts.cpp - Norms, positions, activations and routing of pretrain_gpt.py ----------===//
#include "backends/FirstLayers.h"
#include "backends/megatron/Rules.h"
#include "ir/Names.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::megatron;

namespace {

bool isWhole(double value) { return std::floor(value) == value; }

void checkScaling(const MegatronLayout& s, Findings& findings) {
  const ir::RotaryScaling& scaling = s.plan.model.rotary.scaling;
  const bool latent = s.attention->kind == ir::AttentionKind::Latent;
  const auto report = [&](const std::string& what, const char* known) {
    findings.report<rule::UnsupportedRotaryScaling>("model.positions", what, known);
  };
  switch (scaling.kind) {
  case ir::RotaryScalingKind::None:
    break;
  case ir::RotaryScalingKind::Linear:
    if (latent || !isWhole(scaling.factor))
      report(fmt::format("linear scaling by {}{}", scaling.factor,
                         latent ? " with latent attention" : ""),
             "linear scaling by a whole number, of grouped attention");
    break;
  case ir::RotaryScalingKind::Llama3:
    if (latent || scaling.factor != 8 || scaling.slow != 1 || scaling.fast != 4 ||
        scaling.original != 8192)
      report(fmt::format("Llama 3.1's scaling by {} between {} and {} over {} tokens{}",
                         scaling.factor, scaling.slow, scaling.fast, scaling.original,
                         latent ? " with latent attention" : ""),
             "8 between 1 and 4 over 8192 tokens, of grouped attention (the model does not get "
             "--rope-scaling-factor)");
    break;
  case ir::RotaryScalingKind::Yarn:
    if (latent &&
        (scaling.fast != 32 || scaling.slow != 1 || scaling.original != 4096 || !scaling.rounded))
      report(fmt::format("YaRN between {} and {} turns over {} tokens{}", scaling.fast,
                         scaling.slow, scaling.original, scaling.rounded ? "" : ", not rounded,"),
             "32 and 1 over 4096 tokens, rounded, with latent attention");
    break;
  }
}

void checkPositions(const MegatronLayout& s, Findings& findings) {
  const ir::Model& m = s.plan.model;
  if (m.positions != ir::PositionKind::Rotary || !s.attention)
    return;
  if (!isWhole(m.rotary.base))
    findings.report<rule::RotaryBase>("model.positions", m.rotary.base);
  if (m.rotary.share != 1 && s.attention->kind == ir::AttentionKind::Latent)
    findings.report<rule::RotaryShare>("model.positions", m.rotary.share);
  checkScaling(s, findings);
}

/// Refuses properties of the model for which Megatron-LM has no option.
void checkMissing(const MegatronLayout& s, Findings& findings) {
  const ir::Model& m = s.plan.model;
  const auto missing = [&](const char* field, const std::string& what) {
    findings.report<rule::ModelFact>(std::string("model.") + field, what);
  };
  if (const RecentBlock recent = recentBlockOf(m); recent.words)
    findings.report<rule::RecentBlocks>(recent.field, recent.words);
  if (m.positions == ir::PositionKind::Alibi)
    missing("positions", "scores that fall with the distance (ALiBi)");
  if (m.parallelNorms > 0)
    missing("blocks", "attention and feed-forward parts in parallel");
  if (m.embeddingNorm && m.kind != "encoder")
    missing("embedding_norm", "a norm after the embeddings");
  if (m.postNorms)
    missing("post_norms", "norms after attention and feed-forward parts");
  if (m.softcap > 0)
    missing("softcap", "a soft cap of the logits");
  if (m.embeddingScale != 1)
    missing("embedding_scale", "a factor of the embeddings");
  if (m.qkNorm == ir::QkNorm::EachHead || m.qkNorm == ir::QkNorm::Projection)
    missing("qk_norm", m.qkNorm == ir::QkNorm::EachHead
                           ? "norms of queries and keys with a gain for each head"
                           : "norms of queries and keys over all heads");
  const auto some = [&](double ir::Attention::*fact) {
    return llvm::any_of(m.layerTypes,
                        [&](const ir::LayerType& c) { return c.attention.*fact > 0; });
  };
  if (some(&ir::Attention::softcap))
    missing("attention", "a soft cap of the scores");
  if (some(&ir::Attention::scale))
    missing("attention", "a scale of the scores");
  if (some(&ir::Attention::base))
    missing("attention", "a rotary base of single layers");
}

void checkActivation(const MegatronLayout& s, const ir::FeedForward& f, Findings& findings) {
  using enum ir::Activation;
  const bool gated = f.gated, bias = s.plan.model.bias;
  const bool routed = f.kind == ir::FeedForwardKind::Experts;
  const bool known = gated ? f.activation == Silu || f.activation == QuickGelu
                           : f.activation == Gelu || f.activation == SquaredRelu ||
                                 (f.activation == GeluTanh && bias && !routed);
  if (!known)
    findings.report<rule::UnsupportedActivation>("model.ffn", gated ? "gated" : "plain",
                                                 ir::name(f.activation),
                                                 routed  ? " of experts"
                                                 : !bias ? " without biases"
                                                         : "");
  if (f.activation != QuickGelu && (f.offset != 0 || f.clamp != 0))
    findings.report<rule::ModelFact>("model.ffn", "an offset or a clamp of this activation");
}

void checkRouter(const MegatronLayout& s, const ir::FeedForward& f, Findings& findings) {
  const ir::Router& r = f.router;
  const auto inexpressible = [&](const char* what) {
    findings.report<rule::Routing>("model.ffn", what);
  };
  const bool sinkhorn = r.balance == ir::Balance::Sinkhorn;
  if (!r.setsBalance())
    findings.report<rule::Unbalanced>("model.ffn");
  if (r.score == ir::RouterScore::Sigmoid && !r.normalized && f.active > 1)
    inexpressible("sigmoid scores that are not normalised");
  if (sinkhorn && (r.groups > 1 || r.scaling != 1 || r.biasRate > 0))
    inexpressible("sinkhorn with groups, a factor or a bias");
  if (r.hasPrecision && r.precision != ir::DataType::FP32 && r.precision != s.wideCompute())
    inexpressible("scores in a type other than fp32 and that of the layer");
  if (r.score == ir::RouterScore::Softmax && r.normalized && f.active == 1 && !sinkhorn)
    findings.report<rule::SingleExpert>("model.ffn");
  if (r.biasRate > 0 && r.score != ir::RouterScore::Sigmoid)
    findings.report<rule::BiasScore>("model.ffn");
  if (f.capacity > 0 && sinkhorn)
    findings.report<rule::CapacityBalance>("model.ffn");
  if (f.experts % r.groups != 0)
    findings.report<rule::ExpertGroups>("model.ffn", f.experts, r.groups);
}

} // namespace

void dpl::megatron::checkFacts(const MegatronLayout& s, Findings& findings) {
  checkPositions(s, findings);
  checkMissing(s, findings);
  if (s.dense)
    checkActivation(s, *s.dense, findings);
  if (s.routed) {
    checkActivation(s, *s.routed, findings);
    checkRouter(s, *s.routed, findings);
  }
  if (s.dense && s.routed &&
      (s.dense->activation != s.routed->activation || s.dense->offset != s.routed->offset ||
       s.dense->clamp != s.routed->clamp))
    findings.report<rule::MixedActivations>("model.ffn");
}
