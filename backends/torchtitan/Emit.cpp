//===- Emit.cpp - The folder that launches a plan on torchtitan -------------------------------===//
#include "backends/torchtitan/Config.h"
#include "backends/torchtitan/Torchtitan.h"
#include "ir/Names.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::torchtitan;

namespace {

/// Static rendezvous: rank = node rank × GPUs of a node + local rank, so that the mesh lies on the
/// nodes as the plan says. One node needs no names.
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
{search}if (($# > 0)); then
  rest=("$@")
else
  rest=(--training.steps 20)
fi

exec torchrun \
  --nnodes {nodes} --nproc-per-node {gpus} --node-rank "$node_rank" \
  --master-addr "$master_addr" --master-port "$master_port" \
  -m torchtitan.train {configuration} \
  {assets} "$hf_assets" "${{rest[@]}}"
)sh";

std::string meshText(const Shape& s) {
  std::string out;
  for (const ir::MeshAxis& axis : s.plan.mesh.axes)
    if (axis.size > 1)
      out += fmt::format("{}{} {}", out.empty() ? "" : " × ", ir::name(axis.axis), axis.size);
  return out.empty() ? "of one device" : out;
}

std::string launchFile(const Shape& s) {
  const ir::Plan& plan = s.plan;
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
  const char* search =
      s.old ? "" : "export PYTHONPATH=$here${PYTHONPATH:+:$PYTHONPATH} # of dpl_plan.py\n\n";
  return fmt::format(fmt::runtime(launchTemplate), fmt::arg("header", headerOf(s.request)),
                     fmt::arg("world", plan.mesh.devices), fmt::arg("nodes", plan.cluster.nodes),
                     fmt::arg("gpus", plan.cluster.gpusPerNode), fmt::arg("mesh", meshText(s)),
                     fmt::arg("differences", differences),
                     fmt::arg("release", s.request.release.text()),
                     fmt::arg("variables", variables), fmt::arg("rendezvous", rendezvous),
                     fmt::arg("search", search),
                     fmt::arg("configuration", s.old ? "--job.config_file \"$here/train.toml\""
                                                     : "--module dpl_plan --config plan"),
                     fmt::arg("assets", s.old ? "--model.hf_assets_path" : "--hf_assets_path"));
}

} // namespace

std::vector<EmittedFile> dpl::torchtitan::render(const TargetRequest& request) {
  const Shape shape(request);
  return {{"launch.sh", launchFile(shape), true},
          shape.old ? EmittedFile{"train.toml", tomlConfig(shape), false}
                    : EmittedFile{"dpl_plan.py", pythonConfig(shape), false}};
}
