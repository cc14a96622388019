//===- Json.cpp - The report as JSON; docs/reference/json.md describes it ---------------------===//
#include "support/Json.h"
#include "backends/report/Memory.h"
#include "backends/report/Report.h"
#include "backends/report/StageProgramsJson.h"
#include "backends/report/StepComponents.h"
#include "backends/report/WhyJson.h"
#include "cost/step/Exposure.h"
#include "cost/step/StepTimes.h"
#include "ir/FigureNames.h"
#include "ir/FoundFields.h"
#include "ir/Names.h"

using namespace dpl;
using namespace dpl::report;

namespace {

template <class T> Json each(const std::vector<T>& list, Json (*json)(const T&)) {
  Json out = Json::array();
  for (const T& one : list)
    out.push_back(json(one));
  return out;
}

Json frameworkJson(const ir::Framework& framework) {
  if (framework.name.empty())
    return nullptr;
  Json filled = Json::array();
  for (const ir::FilledField& field : framework.filled)
    filled.push_back({{"path", field.path}, {"value", field.value}});
  return {{"name", framework.name},
          {"version", framework.version.empty() ? Json(nullptr) : Json(framework.version)},
          {"compiled", framework.compiled},
          {"filled", std::move(filled)}};
}

Json axes(const std::vector<ir::MeshAxis>& list) {
  Json out = Json::array();
  for (const ir::MeshAxis& a : list)
    out.push_back({{"axis", ir::name(a.axis)},
                   {"size", a.size},
                   {"stride", a.stride},
                   {"level", ir::name(a.spans)}});
  return out;
}

Json mesh(const ir::Plan& plan) {
  const std::vector<const char*> varied =
      plan.mesh.found ? ir::variedFields(plan.layout).varied : std::vector<const char*>();
  return {{"axes", axes(plan.mesh.axes)}, {"expert_axes", axes(plan.mesh.expertAxes)},
          {"devices", plan.mesh.devices}, {"micro_batches", plan.mesh.microBatches},
          {"auto", plan.mesh.found},      {"varied", varied}};
}

Json schedule(const ir::Plan& plan) {
  Json out = {{"name", ir::name(plan.layout.schedule)},
              {"placement", ir::name(plan.placement.kind)},
              {"chunks", plan.placement.chunks},
              {"auto", plan.layout.scheduleAutomatic},
              {"candidates", candidatesJson(plan)},
              {"post_validation", plan.layout.postValidation},
              {"period_ps", plan.steady.empty() ? Json(nullptr) : Json(plan.steady.front().period)},
              {"weight_versions", cost::mostWeightVersions(plan)},
              {"blocking_send_deadlock", cost::serialWait(plan)}};
  if (!plan.layout.microBatchCosts.empty())
    out["micro_batch_costs"] = plan.layout.microBatchCosts;
  for (const ir::SplitChoice& c : plan.splitChoice)
    out["split"] = {{"candidates", c.candidates},
                    {"executed", c.executed},
                    {"step_ps", c.step},
                    {"min_max_step_ps", c.leastSlowest},
                    {"even_step_ps", c.even},
                    {"slowest_rank_ps", c.slowest},
                    {"slowest_rank_bound_ps", c.least}};
  return out;
}

Json nodeTypes(const ir::Plan& plan) {
  Json out = Json::array();
  for (const ir::NodeType& c : plan.cluster.nodeTypes)
    out.push_back({{"name", c.displayName()},
                   {"nodes", c.nodes},
                   {"device", c.device.name},
                   {"memory_bytes", c.device.memory},
                   {"speed", c.device.speed}});
  return out;
}

Json memory(const ir::Plan& plan) {
  Json ranks = Json::array();
  for (const ir::RankMemory& m : plan.memory)
    ranks.push_back({{"rank", m.rank},
                     {"parameters_bytes", m.parameters},
                     {"gradients_bytes", m.gradients},
                     {"optimizer_bytes", m.optimizer},
                     {"activations_bytes", m.activations},
                     {"temporary_bytes", m.temporary},
                     {"buffers_bytes", m.buffers},
                     {"optimizer_step_bytes", m.update},
                     {"non_tensor_bytes", m.reserved},
                     {"peak_bytes", m.peak()},
                     {"usable_bytes", m.usable},
                     {"micro_batches_in_flight", m.inFlight}});
  const ir::RankMemory* worst = ir::tightest(plan.memory);
  Json out{{"usable_bytes", worst ? worst->usable : plan.cluster.device().memory},
           {"ranks", ranks}};
  if (Json host = hostJson(plan); !host.is_null())
    out["host"] = std::move(host);
  return out;
}

Json stages(const ir::Plan& plan) {
  Json out = Json::array();
  for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
    const ir::Chunk& c = plan.chunks[i];
    Json stage = {{"rank", c.rank},
                  {"chunk", c.chunk},
                  {"first_layer", c.firstLayer},
                  {"layers", c.layers},
                  {"mtp_layers", c.predictionLayers},
                  {"embedding", c.embedding},
                  {"head", c.head}};
    if (i < plan.costs.size()) {
      const ir::ChunkCost& k = plan.costs[i];
      stage["parameters"] = k.parameters;
      stage["expert_parameters"] = k.expertParameters;
      stage["forward_flop"] = k.forwardFlop;
      stage["backward_flop"] = k.backwardFlop;
      stage["recompute_flop"] = k.recomputeFlop;
      stage["forward_ps"] = k.forward;
      stage["backward_input_ps"] = k.backwardInput;
      stage["backward_weight_ps"] = k.backwardWeight;
      stage["recompute_ps"] = k.recompute;
      stage["activation_bytes"] = k.activationBytes;
      stage["temporary_bytes"] = k.temporaryBytes;
      if (k.splitTemporaryBytes != k.temporaryBytes)
        stage["split_backward_temporary_bytes"] = k.splitTemporaryBytes;
      if (k.restoredBytes > 0)
        stage["recomputed_activation_bytes"] = k.restoredBytes;
    }
    if (i < plan.chunkPrograms.size()) {
      const cost::ActionWaits waits = cost::actionWaits(plan, ir::ChunkId(i));
      stage["forward_communication_ps"] = waits.forward;
      stage["backward_communication_ps"] = waits.backward;
      stage["programs"] = chunkProgramsJson(plan, ir::ChunkId(i));
    }
    out.push_back(std::move(stage));
  }
  return out;
}

Json traffic(const ir::Plan& plan) {
  Json out = Json::array();
  cost::Exposure exposure(plan);
  for (const cost::Traffic& t : cost::trafficOf(plan, plan.step->rank)) {
    Json levels = Json::object();
    for (std::size_t l = 0; l < t.perLevel.size(); ++l)
      levels[ir::name(plan.cluster.levels[l].level)] = t.perLevel[l];
    out.push_back({{"group", plan.groups.has(t.group) ? plan.groups[t.group].name : ""},
                   {"purpose", ir::name(t.purpose)},
                   {"collective", ir::name(t.kind)},
                   {"pipeline_rank", t.rank},
                   {"figures", cost::pathOf(plan, t)},
                   {"count", t.count},
                   {"time_s", t.time},
                   {"exposed_s", exposure.of(t)},
                   {"sent_bytes", t.sent},
                   {"sent_bytes_by_level", levels}});
  }
  return out;
}

Json stride(const ir::Stride& s) {
  Json out{{"count", s.count}, {"stride", s.stride}};
  if (s.mirrored)
    out["mirrored"] = true;
  return out;
}

Json groups(const ir::Plan& plan) {
  Json out = Json::array();
  for (const ir::Group& g : plan.groups) {
    Json strides = Json::array(), names = Json::array();
    for (const ir::Stride& s : g.strides)
      strides.push_back(stride(s));
    for (ir::Axis a : g.axes)
      names.push_back(ir::name(a));
    out.push_back({{"name", g.name},
                   {"axes", names},
                   {"ranks", g.size},
                   {"groups", g.groups},
                   {"strides", strides},
                   {"level", ir::name(g.spans)}});
  }
  return out;
}

Json derivations(const figures::Figures& figures) {
  Json out = Json::object();
  for (const figures::Figure* figure : figures.all())
    // Paths are unique, so the object is not searched for duplicates.
    out.append(ir::writtenPath(figure->path), figureJson(figures, *figure));
  return out;
}

Json lost(const ir::Plan& plan, const figures::Figures& figures) {
  Json out = Json::array();
  for (const StepLoss& l : losses(plan, figures))
    out.push_back({{"figure", ir::writtenPath(l.path)},
                   {"reason", l.reason},
                   {"time_s", l.seconds},
                   {"share", l.share}});
  return out;
}

} // namespace

Json report::reportJson(const ir::Plan& plan, figures::FieldLocator where) {
  const figures::Figures figures(plan, std::move(where));
  Json out = {{"plan",
               {{"name", plan.name},
                {"file", plan.file},
                {"hash", plan.hash},
                {"notes", plan.layout.notes}}},
              {"model", plan.model.name},
              {"cluster",
               {{"name", plan.cluster.name},
                {"nodes", plan.cluster.nodes},
                {"devices", plan.cluster.devices()},
                {"idle_devices", plan.cluster.idleDevices},
                {"device", plan.cluster.device().name},
                {"node_types", nodeTypes(plan)}}},
              {"mesh", mesh(plan)},
              {"schedule", schedule(plan)},
              {"memory", memory(plan)},
              {"stages", stages(plan)},
              {"stage_programs", stageProgramsJson(plan)},
              {"traffic", traffic(plan)},
              {"groups", groups(plan)},
              {"inefficiencies", lost(plan, figures)},
              {"framework", frameworkJson(plan.framework)},
              {"runs", each(plan.runs, runJson)},
              {"spaces", each(plan.spaces, spaceJson)},
              {"figures", derivations(figures)}};
  return out;
}
