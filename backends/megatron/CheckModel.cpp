//===- CheckModel.cpp - Models that pretrain_gpt.py can build ---------------------------------===//
#include "backends/megatron/Rules.h"
#include "ir/SetInFile.h"
#include <tuple>

using namespace dpl;
using namespace dpl::megatron;

namespace {

/// All members that every layer must have equal; only some layers may have a window.
auto shapeOf(const ir::Attention& a) {
  return std::tie(a.kind, a.heads, a.kvHeads, a.headDim, a.causal, a.sinks, a.queryRank, a.kvRank,
                  a.nope, a.rope, a.value, a.gate);
}
auto shapeOf(const ir::FeedForward& f) {
  return std::tie(f.kind, f.width, f.experts, f.active, f.shared, f.sharedWidth, f.gated,
                  f.capacity, f.padded, f.router, f.sharedGate);
}
bool isGated(const ir::FeedForward& f) { return f.gated || f.kind == ir::FeedForwardKind::Gated; }

/// Checks that layers are alike. An error is located at the field that all layers share, because
/// "layer[3]" has no place in the file.
void checkLayers(const MegatronLayout& s, Findings& findings) {
  const ir::Model& model = s.plan.model;
  std::uint64_t first = 0;
  std::uint64_t firstDense = 0, firstRouted = 0;
  bool attentionReported = false, widthReported = false;
  for (const ir::LayerRun& run : model.runs) {
    const ir::LayerType& layer = model.layerTypes[run.layerType];
    const ir::FeedForward& part = layer.feedForward;
    const bool routed = part.kind == ir::FeedForwardKind::Experts;
    if (layer.attention.kind == ir::AttentionKind::None)
      findings.report<rule::LayerParts>("model.layer", first, "attention");
    else if (s.attention && !attentionReported &&
             (shapeOf(layer.attention) != shapeOf(*s.attention) ||
              (layer.attention.window > 0 && layer.attention.window != s.window))) {
      findings.report<rule::EqualAttention>("model.layer", first);
      attentionReported = true;
    }
    if (part.kind == ir::FeedForwardKind::None) {
      findings.report<rule::LayerParts>("model.layer", first, "feed-forward part");
    } else if (const ir::FeedForward& like = routed ? *s.routed : *s.dense;
               shapeOf(part) != shapeOf(like)) {
      if (!widthReported && isGated(part) == isGated(like))
        findings.report<rule::EqualWidths>("model.layer", routed ? "expert" : "dense", first,
                                           routed ? firstRouted : firstDense);
      widthReported = true;
    } else if (&part == &like) {
      (routed ? firstRouted : firstDense) = first;
    }
    first += run.count;
  }
  bool gated = false, plain = false;
  for (const ir::LayerType& layer : model.layerTypes)
    if (layer.feedForward.kind != ir::FeedForwardKind::None)
      (isGated(layer.feedForward) ? gated : plain) = true;
  if (gated && plain)
    findings.report<rule::MixedGates>("model.ffn");
}

/// Checks sizes that the constructors of attention and MLPs in Megatron-LM divide.
void checkDivisions(const MegatronLayout& s, Findings& findings) {
  if (const ir::Attention* a = s.attention) {
    if (a->heads % s.tensor != 0)
      findings.report<rule::HeadsByTensor>("mesh.tensor", a->heads, s.tensor);
    if (a->kind == ir::AttentionKind::Grouped) {
      if (a->heads % a->kvHeads != 0)
        findings.report<rule::HeadsByKvHeads>("model.kv_heads", a->heads, a->kvHeads);
      if (a->kvHeads % s.tensor != 0)
        findings.report<rule::KvHeadsOverTensor>("mesh.tensor", a->kvHeads, s.tensor);
      if (a->kvHeads % s.tensor != 0 && s.tensor % a->kvHeads != 0)
        findings.report<rule::KvHeadsByTensor>("mesh.tensor", a->kvHeads, s.tensor);
      const std::uint64_t columns = (a->heads + 2 * a->kvHeads) * a->headDim;
      if (s.tensor % a->kvHeads == 0 && columns % s.tensor != 0)
        findings.report<rule::ProjectionByTensor>("mesh.tensor", columns, s.tensor);
    }
  }
  if (s.dense && s.dense->width % s.tensor != 0)
    findings.report<rule::WidthByTensor>("mesh.tensor", "feed-forward", s.dense->width, "tensor",
                                         s.tensor);
  if (!s.routed)
    return;
  if (s.routed->width % s.expertTensor != 0)
    findings.report<rule::WidthByTensor>("mesh.experts.tensor", "expert", s.routed->width,
                                         "expert tensor", s.expertTensor);
  if (const std::uint64_t shared = s.routed->shared * s.routed->sharedWidth; shared % s.tensor != 0)
    findings.report<rule::WidthByTensor>("mesh.tensor", "shared expert", shared, "tensor",
                                         s.tensor);
  if (s.routed->experts % s.expert != 0)
    findings.report<rule::ExpertsByParallel>("mesh.experts.expert", s.routed->experts, s.expert);
  const bool asksForDeepEp = s.plan.layout.kernels.dispatch == ir::DispatchKind::DeepEp &&
                             ir::isSetInFile(s.plan, "kernels.token_dispatcher");
  if (asksForDeepEp && s.expert * s.expertTensor == 1)
    findings.report<rule::DispatchAlone>("kernels.token_dispatcher");
  if (asksForDeepEp && s.routed->padded)
    findings.report<rule::PaddedDispatch>("kernels.token_dispatcher");
  if (s.plan.layout.kernels.dispatchFp8)
    findings.report<rule::DispatchType>("kernels.token_dispatcher");
  if (s.plan.model.bias && (s.expertTensor > 1 || s.routed->shared > 0))
    findings.report<rule::ExpertBias>("model.bias");
  if (s.tensor > 1 && !s.sequenceParallel())
    findings.report<rule::ExpertSequence>("mesh.tensor", s.tensor);
}

} // namespace

void dpl::megatron::checkModel(const MegatronLayout& s, Findings& findings) {
  const ir::Model& model = s.plan.model;
  if (model.kind == "encoder" || (s.attention && !s.attention->causal))
    findings.report<rule::ModelKind>("", model.name, model.kind);
  if (model.headTransform)
    findings.report<rule::ExtraParts>("model.head_transform", "a layer before the output head");
  if (model.tokenTypes > 0)
    findings.report<rule::ExtraParts>("model.token_types", "a table of token types");
  if (model.bias && !model.qkvBias)
    findings.report<rule::QkvBias>("model.qkv_bias");
  if (model.predictionLayers > 0 && model.positions == ir::PositionKind::Learned)
    findings.report<rule::PredictionPositions>("model.positions");
  if (s.attention && model.positions == ir::PositionKind::Rotary) {
    const bool latent = s.attention->kind == ir::AttentionKind::Latent;
    const std::uint64_t turned = latent ? s.attention->rope : s.attention->headDim;
    if (turned % 2 != 0)
      findings.report<rule::RotaryHalves>(latent ? "model.attention" : "model.head_dim", turned);
  }
  checkLayers(s, findings);
  checkDivisions(s, findings);
}
