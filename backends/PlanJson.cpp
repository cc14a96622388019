//===- PlanJson.cpp - Parts of a plan.json that several targets write -------------------------===//
#include "backends/PlanJson.h"
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
