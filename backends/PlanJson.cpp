//===- PlanJson.cpp - Parts of a plan.json that several targets write -------------------------===//
#include "backends/PlanJson.h"
#include "backends/FirstLayers.h"
#include "ir/Names.h"
using namespace dpl;

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

Json dpl::modelJson(const ir::Plan& plan) {
  const ir::Model& m = plan.model;
  const FirstLayers first(m);
  Json out{{"name", m.name},
           {"kind", m.kind},
           {"layers", m.layers()},
           {"prediction_layers", m.predictionLayers}};
  if (!m.isLayerList())
    out.update({{"hidden", m.hidden},
                {"vocab", m.vocab},
                {"vocab_multiple", plan.layout.vocabMultiple},
                {"context", m.context},
                {"tied_embeddings", m.tiedEmbeddings}});
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
  return out;
}

Json dpl::recomputeJson(const ir::Recompute& r) {
  Json out{{"kind", ir::name(r.kind)}};
  if (r.kind == ir::RecomputeKind::Full)
    out.update({{"method", ir::name(r.method)}, {"layers", r.layers}});
  if (r.kind == ir::RecomputeKind::Selective) {
    out["modules"] = Json::array();
    for (const ir::Module module : r.modules)
      out["modules"].push_back(ir::name(module));
  }
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
                   {"prediction_layers", c.predictionLayers},
                   {"embedding", c.embedding},
                   {"head", c.head}});
  return out;
}

std::string dpl::textOf(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}
