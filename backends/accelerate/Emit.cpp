//===- Emit.cpp - The folder that launches a plan on Accelerate -------------------------------===//
#include "backends/PlanJson.h"
#include "backends/accelerate/Accelerate.h"
#include "backends/deepspeed/Deepspeed.h"
#include "ir/Names.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::accelerate;

namespace {

constexpr const char* launchTemplate = R"sh(#!/usr/bin/env bash
{header}#
# {world} processes: {nodes} nodes × {gpus} GPUs, mesh {mesh}, run by {plugIn}.
{differences}#
# Run it once on every node, with the training script and its arguments:
#   launch.sh train.py --more ...
{variables}# plan.json says what is left to the script (`script`).
set -euo pipefail

here=$(cd -- "$(dirname -- "${{BASH_SOURCE[0]}}")" && pwd)
: "${{1:?is not given: the training script}}"
{rendezvous}{accumulation}
exec accelerate launch --config_file "$here/accelerate.yaml"{deepspeed} \
  --machine_rank "$node_rank" --main_process_ip "$master_addr" --main_process_port "$master_port" \
  "$@"
)sh";

std::string meshText(const Shape& s) {
  std::string out;
  for (const ir::MeshAxis& axis : s.plan.mesh.axes)
    if (axis.size > 1)
      out += fmt::format("{}{} {}", out.empty() ? "" : " × ", ir::name(axis.axis), axis.size);
  return out.empty() ? "of one device" : out;
}

/// FSDP2 and data parallelism accumulate in Accelerate itself, the others in their plug-in.
bool accumulates(const Shape& s) {
  return s.plugIn != PlugIn::DeepSpeed && s.plugIn != PlugIn::Megatron;
}

std::string launchFile(const TargetRequest& request, const Shape& s) {
  const ir::Plan& plan = request.plan;
  const bool several = plan.cluster.nodes > 1;
  std::string differences;
  for (const std::string& difference : differencesOf(s))
    differences += fmt::format("# Not as in the plan: {}.\n", difference);
  const char* variables =
      several ? "#   MASTER_ADDR, MASTER_PORT   a port of the first node (29500 unless said)\n"
                "#   NODE_RANK                  0 on the first node; SLURM_NODEID serves too\n"
              : "#   MASTER_PORT                a free port (29500 unless said)\n";
  const char* rendezvous =
      several ? "node_rank=${NODE_RANK:-${SLURM_NODEID:?is not set, nor is NODE_RANK}}\n"
                "master_addr=${MASTER_ADDR:?is not set: the first node}\n"
                "master_port=${MASTER_PORT:-29500}\n"
              : "node_rank=0\n"
                "master_addr=localhost\n"
                "master_port=${MASTER_PORT:-29500}\n";
  return fmt::format(
      fmt::runtime(launchTemplate), fmt::arg("header", headerOf(request)),
      fmt::arg("world", plan.mesh.devices), fmt::arg("nodes", plan.cluster.nodes),
      fmt::arg("gpus", plan.cluster.gpusPerNode), fmt::arg("mesh", meshText(s)),
      fmt::arg("plugIn", nameOf(s.plugIn)), fmt::arg("differences", differences),
      fmt::arg("variables", variables), fmt::arg("rendezvous", rendezvous),
      fmt::arg("accumulation",
               accumulates(s) ? fmt::format("export ACCELERATE_GRADIENT_ACCUMULATION_STEPS={}\n",
                                            plan.mesh.microBatches)
                              : ""),
      fmt::arg("deepspeed", s.plugIn == PlugIn::DeepSpeed
                                ? " \\\n  --deepspeed_config_file \"$here/ds_config.json\""
                                : ""));
}

Json modelJson(const Shape& s) {
  const ir::Model& m = s.plan.model;
  Json out{{"name", m.name}, {"kind", m.kind}, {"layers", m.layers()}};
  if (!m.isLayerList())
    out.update({{"hidden", m.hidden},
                {"vocab", m.vocab},
                {"context", m.context},
                {"tied_embeddings", m.tiedEmbeddings}});
  if (const ir::Attention* a = s.attention)
    out.update({{"heads", a->heads}, {"kv_heads", a->kvHeads}, {"head_dim", a->headDim}});
  if (s.dense)
    out["width"] = s.dense->width;
  out["experts"] = s.routed ? s.routed->experts : 0;
  if (s.routed)
    out.update({{"active", s.routed->active},
                {"shared", s.routed->shared},
                {"expert_width", s.routed->width},
                {"capacity", s.routed->capacity}});
  return out;
}

Json recomputeJson(const ir::Recompute& r) {
  Json out{{"kind", ir::name(r.kind)}};
  if (r.kind == ir::RecomputeKind::Full)
    out.update({{"method", ir::name(r.method)}, {"layers", r.layers}});
  for (const ir::Module module : r.modules)
    if (r.kind == ir::RecomputeKind::Selective)
      out["modules"].push_back(ir::name(module));
  return out;
}

Json optimizerJson(const Shape& s) {
  const ir::OptimizerSettings& o = s.plan.layout.optimizerSettings;
  Json out{{"kind", ir::name(s.plan.layout.optimizer)}};
  if (s.plan.layout.optimizer == ir::OptimizerKind::Sgd)
    out["momentum"] = o.momentum;
  else
    out.update({{"beta1", o.beta1}, {"beta2", o.beta2}});
  if (s.plan.layout.optimizer == ir::OptimizerKind::AdamW)
    out["weight_decay"] = o.weightDecay;
  if (const ir::LearningRate& rate = o.learningRate; rate.given)
    out["learning_rate"] = {{"kind", ir::name(rate.kind)},
                            {"peak", rate.peak},
                            {"end", rate.end},
                            {"warmup_steps", rate.warmup}};
  return out;
}

/// Sizes are counts, batches sequences or samples. docs/accelerate.md lists the fields.
std::string planFile(const TargetRequest& request, const Shape& s) {
  const ir::Plan& plan = request.plan;
  Json out;
  out["comment"] = fmt::format("{}. {}.", subjectOf(plan), writtenBy(request));
  out["format"] = "dpl.accelerate/1";
  out["plan"] = plan.name;
  out["hash"] = plan.hash;
  out["devices"] = plan.mesh.devices;
  out["nodes"] = plan.cluster.nodes;
  out["gpus_per_node"] = plan.cluster.gpusPerNode;
  out["run_by"] = nameOf(s.plugIn);
  out["parallel"] = {{"pipeline", s.pipeline}, {"replica", s.replica}, {"data", s.data},
                     {"context", s.context},   {"tensor", s.tensor},   {"expert", s.expert}};
  out["zero_stage"] = s.zero;
  out["batch"] = {{"global", plan.layout.batch},
                  {"micro", plan.layout.microBatch},
                  {"micro_batches", plan.mesh.microBatches}};
  out["recompute"] = recomputeJson(plan.layout.recompute);
  out["optimizer"] = optimizerJson(s);
  out["model"] = modelJson(s);
  out["mesh"] = axesJson(plan.mesh.axes);
  out["expert_mesh"] = axesJson(plan.mesh.expertAxes);
  out["placement"] = placementJson(plan);
  out["script"] = dutiesOf(s);
  out["differences"] = differencesOf(s);
  return textOf(out);
}

} // namespace

std::vector<EmittedFile> dpl::accelerate::render(const TargetRequest& request) {
  const Shape s(request.plan);
  std::vector<EmittedFile> files{{"accelerate.yaml", yamlFile(request, s), false},
                                 {"launch.sh", launchFile(request, s), true},
                                 {"plan.json", planFile(request, s), false}};
  if (s.plugIn == PlugIn::DeepSpeed)
    files.push_back({"ds_config.json", deepspeed::configFile(deepspeedRequest(request), s), false});
  return files;
}
