//===- PlanJson.cpp - Parts of plan.json that several targets write ---------------------------===//
#include "backends/PlanJson.h"
#include "backends/FirstLayers.h"
#include "ir/Names.h"
using namespace dpl;

Json dpl::headJson(const TargetRequest& request, const char* format) {
  const ir::Plan& plan = request.plan;
  return {{"comment", fmt::format("{}. {}.", subjectOf(plan), writtenBy(request))},
          {"format", format},
          {"plan", plan.name},
          {"hash", plan.hash},
          {"devices", plan.mesh.devices},
          {"nodes", plan.cluster.nodes},
          {"gpus_per_node", plan.cluster.gpusPerNode}};
}

Json dpl::batchJson(const ir::Plan& plan) {
  return {{"global", plan.layout.batch},
          {"micro", plan.layout.microBatch},
          {"micro_batches", plan.mesh.microBatches}};
}

Json dpl::axesJson(const std::vector<ir::MeshAxis>& axes) {
  Json out = Json::array();
  for (const ir::MeshAxis& axis : axes)
    out.push_back({{"axis", ir::name(axis.axis)}, {"size", axis.size}, {"stride", axis.stride}});
  return out;
}

Json dpl::groupsJson(const ir::Plan& plan) {
  Json out = Json::array();
  for (const ir::Group& group : plan.groups) {
    Json axes = Json::array(), strides = Json::array();
    for (const ir::Axis axis : group.axes)
      axes.push_back(ir::name(axis));
    for (const ir::Stride& s : group.strides)
      strides.push_back({{"count", s.count}, {"stride", s.stride}, {"period", s.period}});
    out.push_back({{"name", group.name},
                   {"axes", axes},
                   {"size", group.size},
                   {"groups", group.groups},
                   {"strides", strides}});
  }
  return out;
}

namespace {

Json attentionJson(const ir::Attention& a) {
  Json out{{"kind", ir::name(a.kind)}, {"heads", a.heads},   {"kv_heads", a.kvHeads},
           {"head_dim", a.headDim},    {"window", a.window}, {"causal", a.causal},
           {"rotary_base", a.base},    {"sinks", a.sinks},   {"softcap", a.softcap},
           {"scale", a.scale}};
  if (a.kind == ir::AttentionKind::Latent)
    out.update({{"q_lora_rank", a.queryRank},
                {"kv_lora_rank", a.kvRank},
                {"qk_nope_head_dim", a.nope},
                {"qk_rope_head_dim", a.rope},
                {"v_head_dim", a.value}});
  else if (a.value > 0)
    out["v_head_dim"] = a.value;
  if (a.gate)
    out["gate"] = ir::name(*a.gate);
  return out;
}

Json indexerJson(const ir::Indexer& i) {
  return {{"heads", i.heads}, {"head_dim", i.headDim}, {"top_k", i.chosen}};
}

Json recurrenceJson(const ir::Recurrence& r) {
  return {{"kind", ir::name(r.kind)},
          {"heads", r.heads},
          {"key_heads", r.keyHeads},
          {"key_dim", r.key},
          {"value_dim", r.value},
          {"conv", r.taps},
          {"chunk", r.chunk},
          {"rank", r.rank},
          {"channel_decay", r.channelDecay},
          {"norm", r.norm}};
}

Json routerJson(const ir::Router& r) {
  Json out{{"score_function", ir::name(r.score)},
           {"normalized", r.normalized},
           {"scaling_factor", r.scaling},
           {"groups", r.groups},
           {"group_top_k", r.groupLimit},
           {"balance", ir::name(r.balance)},
           {"coefficient", r.coefficient},
           {"bias_update_rate", r.biasRate},
           {"z_loss", r.zLoss},
           {"input_jitter", r.jitter},
           {"drop_policy", ir::name(r.drop)}};
  if (r.hasPrecision)
    out["precision"] = ir::name(r.precision);
  return out;
}

Json rotaryJson(const ir::Rotary& rotary) {
  const ir::RotaryScaling& s = rotary.scaling;
  Json scaling{{"kind", ir::name(s.kind)}};
  if (s.kind != ir::RotaryScalingKind::None)
    scaling["factor"] = s.factor;
  if (s.kind == ir::RotaryScalingKind::Llama3)
    scaling.update({{"low_freq_factor", s.slow},
                    {"high_freq_factor", s.fast},
                    {"original_context", s.original}});
  if (s.kind == ir::RotaryScalingKind::Yarn)
    scaling.update({{"beta_fast", s.fast},
                    {"beta_slow", s.slow},
                    {"original_context", s.original},
                    {"mscale", s.mscale},
                    {"mscale_all_dim", s.mscaleAll},
                    {"truncate", s.rounded}});
  return {{"base", rotary.base}, {"fraction", rotary.share}, {"scaling", scaling}};
}

Json feedForwardJson(const ir::FeedForward& f) {
  Json out{{"kind", ir::name(f.kind)}, {"width", f.width},
           {"gated", f.gated},         {"activation", ir::name(f.activation)},
           {"offset", f.offset},       {"clamp", f.clamp}};
  if (f.kind == ir::FeedForwardKind::Experts)
    out.update({{"experts", f.experts},
                {"top_k", f.active},
                {"shared", f.shared},
                {"shared_width", f.sharedWidth},
                {"capacity_factor", f.capacity},
                {"imbalance", f.imbalance},
                {"router", routerJson(f.router)}});
  if (f.sharedGate)
    out["shared_gate"] = *f.sharedGate;
  if (f.padded)
    out["pad_to_capacity"] = true;
  if (f.popularity != ir::PopularityKind::Even)
    out.update({{"popularity", ir::name(f.popularity)}, {"popularity_spread", f.spread}});
  return out;
}

/// Runs of equal layers, in the order of the network.
Json layersJson(const ir::Model& m) {
  Json out = Json::array();
  for (const ir::LayerRun& run : m.runs) {
    const ir::LayerType& layer = m.layerTypes[run.layerType];
    Json entry{{"layers", run.count}};
    if (m.isLayerList())
      entry["name"] = layer.name;
    if (layer.attention.kind != ir::AttentionKind::None)
      entry["attention"] = attentionJson(layer.attention);
    for (const ir::Indexer& indexer : layer.indexer)
      entry["attention"]["indexer"] = indexerJson(indexer);
    for (const ir::Recurrence& recurrence : layer.recurrence)
      entry["recurrence"] = recurrenceJson(recurrence);
    if (layer.feedForward.kind != ir::FeedForwardKind::None)
      entry["feed_forward"] = feedForwardJson(layer.feedForward);
    out.push_back(std::move(entry));
  }
  return out;
}

} // namespace

Json dpl::modelJson(const ir::Plan& plan) {
  const ir::Model& m = plan.model;
  const FirstLayers first(m);
  Json out{{"name", m.name},
           {"kind", m.kind},
           {"layers", m.layers()},
           {"mtp_layers", m.predictionLayers}};
  if (!m.isLayerList())
    out.update({{"hidden", m.hidden},
                {"vocab", m.vocab},
                {"vocab_multiple", plan.layout.vocabMultiple},
                {"context", m.context},
                {"norm", ir::name(m.norm)},
                {"norm_epsilon", m.normEpsilon},
                {"norm_zero_centered", m.normCentered},
                {"positions", ir::name(m.positions)},
                {"tied_embeddings", m.tiedEmbeddings},
                {"bias", m.bias},
                {"qkv_bias", m.qkvBias},
                {"qk_norm", ir::name(m.qkNorm)},
                {"embedding_norm", m.embeddingNorm},
                {"post_norms", m.postNorms},
                {"parallel_norms", m.parallelNorms},
                {"attention_dropout", m.attentionDropout},
                {"hidden_dropout", m.hiddenDropout},
                {"softcap", m.softcap},
                {"embedding_scale", m.embeddingScale},
                {"init_std", m.initialization},
                {"head_transform", m.headTransform},
                {"token_types", m.tokenTypes}});
  if (!m.isLayerList() && m.positions == ir::PositionKind::Rotary)
    out["rotary"] = rotaryJson(m.rotary);
  if (const ir::Attention* a = first.attention)
    out.update({{"heads", a->heads}, {"kv_heads", a->kvHeads}, {"head_dim", a->headDim}});
  if (first.dense)
    out["width"] = first.dense->width;
  out["experts"] = first.routed ? first.routed->experts : 0;
  if (first.routed)
    out.update({{"active", first.routed->active},
                {"shared", first.routed->shared},
                {"expert_width", first.routed->width},
                {"capacity", first.routed->capacity}});
  out["runs"] = layersJson(m);
  return out;
}

const char* const dpl::kernelsDuty = "run attention and operators as `fused_attention` and "
                                     "`kernels` say: the plan's times are theirs";

Json dpl::kernelsJson(const ir::Layout& layout) {
  const ir::Kernels& k = layout.kernels;
  return {{"norm", ir::name(k.norm)},
          {"rotary", ir::name(k.rotary)},
          {"activation", ir::name(k.activation)},
          {"loss", ir::name(k.loss)},
          {"permutation", ir::name(k.permutation)},
          {"router", ir::name(k.router)},
          {"experts", layout.communication().groupedExperts ? "grouped" : "per_expert"}};
}

Json dpl::recomputeJson(const ir::Recompute& r) {
  Json out{{"kind", ir::name(r.kind)}};
  if (r.kind == ir::RecomputeKind::Full)
    out.update({{"method", ir::name(r.method)}, {"layers", r.layers}});
  if (r.kind == ir::RecomputeKind::Selective) {
    out["modules"] = Json::array();
    for (const ir::ModuleKind module : r.modules)
      out["modules"].push_back(ir::name(module));
  }
  if (r.inAdvance)
    out["in_advance"] = true;
  return out;
}

Json dpl::learningRateJson(const ir::LearningRate& rate) {
  return {{"kind", ir::name(rate.kind)},
          {"peak", rate.peak},
          {"end", rate.end},
          {"warmup_steps", rate.warmup}};
}

Json dpl::placementJson(const ir::Plan& plan) {
  Json out = Json::array();
  for (const ir::Chunk& c : plan.chunks)
    out.push_back({{"pipeline_rank", c.rank},
                   {"chunk", c.chunk},
                   {"first_layer", c.firstLayer},
                   {"layers", c.layers},
                   {"mtp_layers", c.predictionLayers},
                   {"embedding", c.embedding},
                   {"head", c.head}});
  return out;
}
