//===- Emit.cpp - The folder that launches a plan on torchtitan -------------------------------===//
#include "backends/LaunchScript.h"
#include "backends/torchtitan/Config.h"
#include "backends/torchtitan/Torchtitan.h"

using namespace dpl;
using namespace dpl::torchtitan;

namespace {

constexpr const char* launchTemplate = R"sh(#!/usr/bin/env bash
{header}#
# {world} processes: {nodes} nodes × {gpus} GPUs, mesh {mesh}.
{differences}#
# Run it once on every node, in a checkout of torchtitan v{release} or where its package is installed, with
#   HF_ASSETS_PATH             the folder of the tokenizer
{variables}# Its own arguments are handed to torchtitan behind the plan's: length of the run, data, checkpoints, and
# what else the plan does not say. Without any it runs 20 steps.
set -euo pipefail

here=$(cd -- "$(dirname -- "${{BASH_SOURCE[0]}}")" && pwd)
hf_assets=${{HF_ASSETS_PATH:?is not set: the folder of the tokenizer}}
{rendezvous}
{search}# What the job that starts this says of checkpoints and data; an argument of its own wins.
checkpoints=()
if [ -n "${{CHECKPOINT_DIR:-}}" ]; then
  checkpoints=(--checkpoint.enable --checkpoint.folder "$CHECKPOINT_DIR")
  if [ -n "${{CHECKPOINT_INTERVAL:-}}" ]; then
    checkpoints+=(--checkpoint.interval "$CHECKPOINT_INTERVAL")
  fi
  if [ -n "${{CHECKPOINT_KEEP:-}}" ]; then
    keep=$CHECKPOINT_KEEP
    [ "$keep" != 1 ] || keep=2 # as the last one may be in the process of being saved
    checkpoints+=(--checkpoint.keep_latest_k "$keep")
  fi
  if [ "${{CHECKPOINT_MODE:-}}" = async ]; then
    checkpoints+=(--checkpoint.async_mode async)
  fi
fi
loader=()
if [ -n "${{DATA_WORKERS:-}}" ]; then
  loader=(--{loader}.num_workers "$DATA_WORKERS")
  if [ -n "${{DATA_PREFETCH:-}}" ]; then
    loader+=(--{loader}.prefetch_factor "$DATA_PREFETCH")
  fi
fi
if (($# > 0)); then
  rest=("$@")
else
  rest=(--training.steps 20)
fi

{run}torchrun \
  --nnodes {nodes} --nproc-per-node {gpus} --node-rank "$node_rank" \
  --master-addr "$master_addr" --master-port "$master_port" \
  -m torchtitan.train {configuration} \
  {assets} "$hf_assets" "${{checkpoints[@]}}" "${{loader[@]}}" "${{rest[@]}}"
)sh";

std::string launchFile(const TorchtitanLayout& s) {
  const char* search =
      s.old ? "" : "export PYTHONPATH=$here${PYTHONPATH:+:$PYTHONPATH} # of dpl_plan.py\n\n";
  return LaunchScript(s.request, differencesOf(s))
      .set("search", search)
      .set("configuration",
           !s.old          ? "--module dpl_plan --config plan"
           : s.fromTable() ? "--job.config_file \"$here/train.toml\" \\\n"
                             "  --parallelism.pipeline_parallel_schedule_csv \"$here/schedule.csv\""
                           : "--job.config_file \"$here/train.toml\"")
      .set("loader", s.old ? "training.dataloader" : "dataloader")
      .set("assets", s.old ? "--model.hf_assets_path" : "--hf_assets_path")
      .render(launchTemplate);
}

} // namespace

std::vector<EmittedFile> dpl::torchtitan::render(const TargetRequest& request) {
  const TorchtitanLayout layout(request);
  std::vector<EmittedFile> files{{"launch.sh", launchFile(layout), true},
                                 layout.old
                                     ? EmittedFile{"train.toml", tomlConfig(layout), false}
                                     : EmittedFile{"dpl_plan.py", pythonConfig(layout), false}};
  if (layout.fromTable())
    files.push_back({torchTableFile, torchTableOf(request.plan), false});
  return files;
}
