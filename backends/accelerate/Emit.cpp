//===- Emit.cpp - The folder that launches a plan on Accelerate -------------------------------===//
#include "backends/FineTuningFiles.h"
#include "backends/LaunchScript.h"
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

/// Whether Accelerate itself accumulates gradients, as with FSDP2 and data parallelism.
bool accumulates(const AccelerateLayout& s) {
  return s.plugIn != PlugIn::DeepSpeed && s.plugIn != PlugIn::Megatron;
}

std::string launchFile(const TargetRequest& request, const AccelerateLayout& s) {
  const std::string accumulation = fmt::format("export ACCELERATE_GRADIENT_ACCUMULATION_STEPS={}\n",
                                               request.plan.mesh.microBatches);
  const bool deepspeed = s.plugIn == PlugIn::DeepSpeed;
  return LaunchScript(request, differencesOf(s))
      .set("plugIn", nameOf(s.plugIn))
      .set("accumulation", accumulates(s) ? accumulation : "")
      .set("deepspeed", deepspeed ? " \\\n  --deepspeed_config_file \"$here/ds_config.json\"" : "")
      .render(launchTemplate);
}

Json optimizerJson(const AccelerateLayout& s) {
  const ir::OptimizerSettings& o = s.plan.optimizerSettings();
  Json out{{"kind", ir::name(s.plan.layout.optimizer)}};
  using enum ir::OptimizerKind;
  const ir::OptimizerKind kind = s.plan.layout.optimizer;
  if (kind == Sgd || kind == Muon)
    out["momentum"] = o.momentum;
  else if (kind != Adafactor)
    out.update({{"beta1", o.beta1}, {"beta2", o.beta2}});
  if (kind == AdamW || kind == AdamW8Bit || kind == Muon || kind == Lion)
    out["weight_decay"] = o.weightDecay;
  if (const ir::LearningRate& rate = o.learningRate; rate.given)
    out["learning_rate"] = learningRateJson(rate);
  return out;
}

/// Sizes count elements; batches count sequences or samples. docs/targets/accelerate.md lists the
/// fields.
std::string planFile(const TargetRequest& request, const AccelerateLayout& s) {
  const ir::Plan& plan = request.plan;
  Json out = headJson(request, "dpl.accelerate/1");
  out["run_by"] = nameOf(s.plugIn);
  out["parallel"] = {{"pipeline", s.pipeline}, {"replica", s.replica}, {"data", s.data},
                     {"context", s.context},   {"tensor", s.tensor},   {"expert", s.expert}};
  out["zero_stage"] = s.zero;
  out["batch"] = batchJson(plan);
  out["recompute"] = recomputeJson(plan.layout.recompute);
  out["optimizer"] = optimizerJson(s);
  addFineTuning(plan, out);
  out["fused_attention"] = plan.layout.fusedAttention;
  out["kernels"] = kernelsJson(plan.layout);
  out["model"] = modelJson(plan);
  out["mesh"] = axesJson(plan.mesh.axes);
  out["expert_mesh"] = axesJson(plan.mesh.expertAxes);
  out["placement"] = placementJson(plan);
  out["script"] = dutiesOf(s);
  if (s.plugIn == PlugIn::Megatron)
    out["other_megatron_args"] = otherMegatronArguments(plan);
  out["differences"] = differencesOf(s);
  return textOf(out);
}

} // namespace

std::vector<EmittedFile> dpl::accelerate::render(const TargetRequest& request) {
  const AccelerateLayout s(request.plan);
  std::vector<EmittedFile> files{{"accelerate.yaml", yamlFile(request, s), false},
                                 {"launch.sh", launchFile(request, s), true},
                                 {"plan.json", planFile(request, s), false}};
  if (s.plugIn == PlugIn::DeepSpeed)
    files.push_back({"ds_config.json", deepspeed::configFile(deepspeedRequest(request), s), false});
  addAdapterConfig(request.plan, files);
  return files;
}
