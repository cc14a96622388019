//===- Emit.cpp - The folder that launches a plan on Megatron-LM ------------------------------===//
#include "backends/LaunchScript.h"
#include "backends/PlanJson.h"
#include "backends/megatron/Arguments.h"
#include "backends/megatron/Communicators.h"
#include "backends/megatron/Megatron.h"
#include "ir/Names.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::megatron;

namespace {

std::string argumentsFile(const TargetRequest& request, const MegatronLayout& shape) {
  std::string out = headerOf(request);
  out += "# One token a line, as pretrain_gpt.py takes them; launch.sh skips lines that begin with "
         "'#'.\n";
  out += fmt::format("# torchrun --nnodes {} --nproc-per-node {}\n", request.plan.cluster.nodes,
                     request.plan.cluster.gpusPerNode);
  for (const ArgumentGroup& group : argumentsOf(shape)) {
    out += fmt::format("# {}\n", group.heading);
    for (const std::string& token : group.tokens)
      out += token + "\n";
  }
  return out;
}

constexpr const char* launchTemplate = R"sh(#!/usr/bin/env bash
{header}#
# {world} processes: {nodes} nodes × {gpus} GPUs, mesh {mesh}.
{differences}#
# Run it once on every node, with
#   MEGATRON_PATH              a checkout of Megatron-LM core_v{release}
{variables}# Its own arguments are handed to pretrain_gpt.py behind those of arguments.txt: data, tokenizer, length
# of the run, checkpoints, and what else the plan does not say. Without any, and without DATA_PATH, it runs 20
# steps on mock data and saves nothing.
set -euo pipefail

here=$(cd -- "$(dirname -- "${{BASH_SOURCE[0]}}")" && pwd)
megatron=${{MEGATRON_PATH:?is not set: a checkout of Megatron-LM}}
{rendezvous}
{connections}{allocator}
mapfile -t arguments < <(grep -v '^#' "$here/arguments.txt")
{communicators}
# What the job that starts this says of the run; an argument of its own wins.
if (($# > 0)) || [ -n "${{DATA_PATH:-}}" ]; then
  rest=("$@")
  if [ -n "${{DATA_PATH:-}}" ]; then
    arguments+=(--data-path "$DATA_PATH")
  fi
  if [ -n "${{DATA_WORKERS:-}}" ]; then
    arguments+=(--num-workers "$DATA_WORKERS")
  fi
  if [ -n "${{TRAIN_STEPS:-}}" ] && [[ " $* " != *" --train-samples "* ]]; then
    arguments+=(--train-iters "$TRAIN_STEPS")
  fi
  if [ -n "${{CHECKPOINT_DIR:-}}" ]; then
    arguments+=(--save "$CHECKPOINT_DIR" --load "$CHECKPOINT_DIR")
    if [ -n "${{CHECKPOINT_INTERVAL:-}}" ]; then
      arguments+=(--save-interval "$CHECKPOINT_INTERVAL")
    fi
{asynchronous}{told}  fi
else
  rest=(--mock-data --tokenizer-type NullTokenizer --train-iters 20 --eval-iters 0
    --log-interval 1 --log-throughput{vocabulary}{rate})
fi

{run}torchrun \
  --nnodes {nodes} --nproc-per-node {gpus} --node-rank "$node_rank" \
  --master-addr "$master_addr" --master-port "$master_port" \
  "$megatron/pretrain_gpt.py" "${{arguments[@]}}" "${{rest[@]}}"
)sh";

std::string connectionsText(Connections connections) {
  switch (connections) {
  case Connections::One:
    return "export CUDA_DEVICE_MAX_CONNECTIONS=1 # tensor and context parallelism need it before "
           "Blackwell\n";
  case Connections::Many:
    return "export CUDA_DEVICE_MAX_CONNECTIONS=32 # expert communication overlaps with "
           "computation\n";
  case Connections::Unset:
    return "unset CUDA_DEVICE_MAX_CONNECTIONS # fully sharded data parallelism refuses 1\n";
  }
  return "";
}

/// The shell text that configures PyTorch's allocator, whose segments grow even if the layout does
/// not set it. Release 0.15 refuses expandable segments with CUDA graphs. Later releases refuse
/// them with graphs of Transformer Engine, unless NCCL does not register the buffers of graphs
/// (validate_args).
std::string allocatorText(const MegatronLayout& s) {
  // LaunchScript writes the line of a layout that sets it.
  const std::string segments = s.plan.layout.buffers.expandableSegments ? "" : growingSegments;
  const GraphCapture graphs = s.graphs();
  if (graphs != GraphCapture::Nothing && s.release.isBefore("0.16"))
    return "unset PYTORCH_CUDA_ALLOC_CONF # CUDA graphs refuse expandable segments\n";
  const bool engine =
      graphs == GraphCapture::WithoutExperts || (graphs == GraphCapture::Layers && s.routed);
  return !engine
             ? segments
             : segments +
                   "export NCCL_GRAPH_REGISTER=0 # CUDA graphs need it with expandable segments\n";
}

/// A second --vocab-size, of which the last one counts. Before 0.18 NullTokenizer adds one token to
/// it.
std::string nullVocabulary(const MegatronLayout& shape) {
  const bool adds = !shape.release.any() && shape.release < Release("0.18");
  return adds ? fmt::format(" --vocab-size {}", shape.plan.model.vocab - 1) : "";
}

/// Left out with fully sharded checkpoints, whose format does not support asynchronous saves.
constexpr const char* asynchronousText = R"sh(    if [ "${CHECKPOINT_MODE:-}" = async ]; then
      arguments+=(--async-save)
    fi
)sh";

std::string launchFile(const TargetRequest& request, const MegatronLayout& shape) {
  const ir::LearningRate& rate = request.plan.optimizerSettings().learningRate;
  const ir::Launch* launch = request.plan.launch();
  return LaunchScript(request, differencesOf(shape))
      .set("connections", connectionsText(connectionsOf(shape)))
      .set("allocator", allocatorText(shape))
      .set("communicators",
           overlappedGroups(shape).empty()
               ? ""
               : "arguments+=(--nccl-communicator-config-path \"$here/communicators.yaml\")\n")
      .set("vocabulary", nullVocabulary(shape))
      .set("told", launch && launch->notice > 0
                       ? "    arguments+=(--exit-signal-handler) # saves on SIGTERM\n"
                       : "")
      .set("asynchronous", shape.fullySharded() ? "" : asynchronousText)
      .set("rate", rate.given ? rate.warmup > 0 ? " --lr-warmup-iters 0" : "" : " --lr 1.0e-4")
      .render(launchTemplate);
}

/// The values with which a user compares a running job with the plan. Sizes count elements; batches
/// count sequences. docs/targets/megatron.md lists the fields.
std::string planFile(const TargetRequest& request, const MegatronLayout& s) {
  const ir::Plan& plan = request.plan;
  const auto expertLayers = static_cast<std::uint64_t>(llvm::count(s.expertLayers, true));
  Json out = headJson(request, "dpl.megatron/1");
  out["parallel"] = {{"tensor", s.tensor},     {"context", s.context},
                     {"data", s.data},         {"replica", s.replica},
                     {"pipeline", s.pipeline}, {"virtual_pipeline", s.chunks}};
  if (s.routed)
    out["parallel"].update(
        {{"expert", s.expert}, {"expert_tensor", s.expertTensor}, {"expert_data", s.expertData}});
  out["rank_order"] = s.order == AxisRankOrder::DataOutside ? "tp-cp-ep-pp-dp" : "tp-cp-ep-dp-pp";
  out["batch"] = batchJson(plan);
  out["model"] = {{"name", plan.model.name},
                  {"layers", plan.model.layers()},
                  {"mtp_layers", plan.model.predictionLayers},
                  {"experts", s.routed ? s.routed->experts : 0},
                  {"expert_layers", expertLayers},
                  {"padded_vocab", s.paddedVocab()}};
  out["mesh"] = axesJson(plan.mesh.axes);
  out["expert_mesh"] = axesJson(expertAxes(s));
  out["groups"] = groupsJson(plan);
  out["placement"] = placementJson(plan);
  out["differences"] = differencesOf(s);
  return textOf(out);
}

} // namespace

std::vector<EmittedFile> dpl::megatron::render(const TargetRequest& request) {
  const MegatronLayout layout(request.plan, request.release);
  std::vector<EmittedFile> files{{"launch.sh", launchFile(request, layout), true},
                                 {"arguments.txt", argumentsFile(request, layout), false},
                                 {"plan.json", planFile(request, layout), false}};
  if (std::string text = communicatorsFile(request, layout); !text.empty())
    files.push_back({"communicators.yaml", std::move(text), false});
  return files;
}
