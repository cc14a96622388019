//===- Emit.cpp - The folder that launches a plan on DeepSpeed --------------------------------===//
#include "backends/FineTuningFiles.h"
#include "backends/LaunchScript.h"
#include "backends/PlanJson.h"
#include "backends/deepspeed/Deepspeed.h"
#include "backends/deepspeed/Partition.h"
#include "backends/program/Program.h"
#include "ir/Names.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::deepspeed;

namespace {

/// The text of hostfile. Only launchers that connect to the nodes themselves need the names in it;
/// launch.sh does not read them.
std::string hostFile(const TargetRequest& request) {
  const ir::Cluster& cluster = request.plan.cluster;
  std::string out = headerOf(request);
  out += "# The n-th line is the node of rank n. Put the names of yours here to use ssh.\n";
  if (cluster.nodes == 1)
    return out + fmt::format("localhost slots={}\n", cluster.gpusPerNode);
  const std::size_t digits = std::to_string(cluster.nodes - 1).size();
  for (std::uint64_t i = 0; i < cluster.nodes; ++i)
    out += fmt::format("node{:0{}} slots={}\n", i, digits, cluster.gpusPerNode);
  return out;
}

constexpr const char* launchTemplate = R"sh(#!/usr/bin/env bash
{header}#
# {world} processes: {nodes} nodes × {gpus} GPUs, mesh {mesh}.
{differences}#
# Run it once on every node, with the training script and its arguments:
#   launch.sh train.py --more ...
{variables}# The script finds dpl_layout.py on its path; plan.json says what is left to it (`script`).
set -euo pipefail

here=$(cd -- "$(dirname -- "${{BASH_SOURCE[0]}}")" && pwd)
: "${{1:?is not given: the training script}}"
{rendezvous}
export PYTHONPATH="$here${{PYTHONPATH:+:$PYTHONPATH}}"

exec deepspeed --hostfile "$here/hostfile" --no_ssh --node_rank "$node_rank" \
  --master_addr "$master_addr" --master_port "$master_port" \
  "$@" --deepspeed --deepspeed_config "$here/ds_config.json"
)sh";

Json pipelineJson(const DeepspeedLayout& s) {
  const StageStarts parts = partsOf(s.plan);
  return {{"stages", s.pipeline},
          {"topology", {"pipe", "data", "model"}},
          {"partition_method", partitionMethodOf(s.plan)},
          {"parts", parts}};
}

/// Sizes count elements; batches count sequences or samples. docs/targets/deepspeed.md lists the
/// fields.
std::string planFile(const TargetRequest& request, const DeepspeedLayout& s) {
  const ir::Plan& plan = request.plan;
  Json out = headJson(request, "dpl.deepspeed/1");
  out["parallel"] = {{"pipeline", s.pipeline},
                     {"data", s.dataRanks()},
                     {"context", s.context},
                     {"tensor", s.tensor}};
  if (s.routed)
    out["parallel"].update({{"expert", s.expert}, {"expert_tensor", s.expertTensor}});
  out["batch"] = batchJson(plan);
  out["zero_stage"] = s.zero;
  if (const ir::Offload offload = plan.layout.offloadSettings(); offload.gradients)
    out["offload"] = {{"optimizer", true}, {"parameters", offload.parameters}};
  if (s.pipelined())
    out["pipeline"] = pipelineJson(s);
  out["recompute"] = recomputeJson(plan.layout.recompute);
  addFineTuning(plan, out);
  if (const ir::LearningRate& rate = plan.optimizerSettings().learningRate; rate.given)
    out["learning_rate"] = learningRateJson(rate);
  out["fused_attention"] = plan.layout.fusedAttention;
  out["kernels"] = kernelsJson(plan.layout);
  out["model"] = modelJson(plan);
  out["mesh"] = axesJson(plan.mesh.axes);
  out["expert_mesh"] = axesJson(plan.mesh.expertAxes);
  out["groups"] = groupsJson(plan);
  out["placement"] = placementJson(plan);
  out["script"] = dutiesOf(s);
  out["differences"] = differencesOf(s);
  return textOf(out);
}

} // namespace

std::vector<EmittedFile> dpl::deepspeed::render(const TargetRequest& request) {
  const DeepspeedLayout layout(request.plan);
  std::vector<EmittedFile> files{
      {"ds_config.json", configFile(request, layout), false},
      {"hostfile", hostFile(request), false},
      {"launch.sh", LaunchScript(request, differencesOf(layout)).render(launchTemplate), true},
      {"dpl_layout.py",
       headerOf(request) + program::sourceText("deepspeed/source/dpl_layout.py").str(), false},
      {"plan.json", planFile(request, layout), false}};
  addAdapterConfig(request.plan, files);
  return files;
}
