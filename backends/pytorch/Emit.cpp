//===- Emit.cpp - The constants of the PyTorch module, and its launch script ------------------===//
#include "backends/LaunchScript.h"
#include "backends/TorchPipelining.h"
#include "backends/pytorch/Pytorch.h"
#include "ir/Names.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::pytorch;

namespace {
using Factors =
    std::vector<std::pair<std::uint64_t, std::uint64_t>>; ///< (count, stride), largest stride first

struct ProcessGroup {
  std::string name;
  Factors factors;
};

/// The plan's layout, with the sizes of the small model that the module trains.
struct Small {
  explicit Small(const ir::Plan& plan);

  std::uint64_t size(ir::Axis axis) const { return plan.mesh.size(axis); }
  bool has(char feature) const;
  bool fromTable() const { return pipeline > 1 && schedule.table; }
  /// The name of the class of torch.distributed.pipelining.
  std::string scheduleClass() const {
    return schedule.table ? torchTableClass : std::string("Schedule") + schedule.name;
  }
  std::string layersWithExperts() const; ///< Python expression: "[*range(3, 61)]"

  const ir::Plan& plan;
  const TorchSchedule schedule;
  const ir::FeedForward* routed = nullptr;
  bool dense = false;
  std::uint64_t pipeline, tensor, context, expert = 1, expertTensor = 1;
  std::uint64_t chunks, microBatches;
  std::vector<ProcessGroup> groups;

private:
  void add(const std::string& name, const std::vector<ir::MeshAxis>& grid,
           std::initializer_list<ir::Axis> axes);
};

Small::Small(const ir::Plan& p)
    : plan(p), schedule(torchScheduleOf(p.layout).value_or(TorchSchedule{.name = "1F1B"})),
      pipeline(size(ir::Axis::Pipeline)), tensor(size(ir::Axis::Tensor)),
      context(size(ir::Axis::Context)), chunks(p.layout.chunks),
      // A table has a fixed number of micro-batches.
      microBatches(fromTable() ? p.mesh.microBatches
                               : std::min(p.mesh.microBatches, 2 * pipeline)) {
  using enum ir::Axis;
  for (const ir::LayerType& layer : p.model.layerTypes)
    if (layer.feedForward.kind == ir::FeedForwardKind::Experts)
      routed = &layer.feedForward;
    else
      dense = true;
  for (const ir::Axis axis : {Replica, Pipeline, Data, Context, Tensor})
    add(ir::name(axis), p.mesh.axes, {axis});
  if (routed && !p.mesh.expertAxes.empty()) {
    const std::vector<ir::MeshAxis>& grid = p.mesh.expertAxes;
    expert = size(Expert), expertTensor = size(ExpertTensor);
    for (const ir::Axis axis : {ExpertData, Expert, ExpertTensor})
      add(ir::name(axis), grid, {axis});
    add("exchange", grid, {Expert, ExpertTensor});
    add("expert_gradients", grid, {Replica, ExpertData});
  } else if (routed) {
    add("expert_gradients", p.mesh.axes, {Replica, Data, Context, Tensor});
  }
  add("gradients", p.mesh.axes, {Replica, Data, Context});
}

void Small::add(const std::string& name, const std::vector<ir::MeshAxis>& grid,
                std::initializer_list<ir::Axis> axes) {
  ProcessGroup group{name, {}};
  for (const ir::MeshAxis& axis : grid)
    if (axis.size > 1 && std::find(axes.begin(), axes.end(), axis.axis) != axes.end())
      group.factors.emplace_back(axis.size, axis.stride);
  if (!group.factors.empty())
    groups.push_back(std::move(group));
}

bool Small::has(char feature) const {
  const auto group = [&](const char* name) {
    return std::any_of(groups.begin(), groups.end(),
                       [&](const ProcessGroup& g) { return g.name == name; });
  };
  switch (feature) {
  case 'P':
    return pipeline > 1;
  case 'I':
    return chunks > 1 || fromTable();
  case 'R':
    return fromTable();
  case 'V':
    return chunks > 1 && plan.placement.kind == ir::PlacementKind::VShaped;
  case 'T':
    return tensor > 1;
  case 'C':
    return context > 1;
  case 'A':
    return has('T') || has('C') || has('X') || has('B');
  case 'B':
    return group("gradients") || group("expert_gradients");
  case 'E':
    return routed != nullptr;
  case 'X':
    return group("exchange");
  case 'S':
    return routed != nullptr && routed->shared > 0;
  case 'D':
    return dense;
  case 'F':
    return dense || has('S');
  case 'W': // weights are split over ranks
    return has('T') || has('X');
  case 'K': // collectives with gradients
    return has('W') || has('C');
  case 'G': // all-gathers and splits of tensors
    return has('X') || has('C') || (has('E') && has('T'));
  }
  return false;
}

std::string Small::layersWithExperts() const {
  std::string out;
  std::uint64_t first = 0;
  for (const ir::LayerRun& run : plan.model.runs) {
    if (plan.model.layerTypes[run.layerType].feedForward.kind == ir::FeedForwardKind::Experts)
      out += fmt::format("{}*range({}, {})", out.empty() ? "" : ", ", first, first + run.count);
    first += run.count;
  }
  return "[" + out + "]";
}

std::string factorsText(const Factors& factors) {
  std::string out;
  for (const auto& [count, stride] : factors)
    out += fmt::format("{}({}, {})", out.empty() ? "" : ", ", count, stride);
  return "[" + out + "]";
}

/// The axes larger than 1, outermost first, as a Python dictionary: {"pipeline": 2, "data": 2}.
std::string meshText(const std::vector<ir::MeshAxis>& grid) {
  std::string out;
  for (const ir::MeshAxis& axis : grid)
    if (axis.size > 1)
      out += fmt::format("{}\"{}\": {}", out.empty() ? "" : ", ", ir::name(axis.axis), axis.size);
  return out.empty() ? "" : "{" + out + "}";
}

std::string meshesText(const ir::Plan& plan) {
  const std::string dense = meshText(plan.mesh.axes), experts = meshText(plan.mesh.expertAxes);
  return "[" + dense + (dense.empty() || experts.empty() ? "" : ", ") + experts + "]";
}

std::string axesText(const ir::Plan& plan) {
  std::string out;
  for (const ir::MeshAxis& axis : plan.mesh.axes)
    if (axis.size > 1)
      out += fmt::format("{}\"{}\": ({}, {})", out.empty() ? "" : ", ", ir::name(axis.axis),
                         axis.size, axis.stride);
  return "{" + out + "}";
}

std::uint64_t multiple(std::uint64_t value, std::uint64_t of) {
  return ir::ceilDiv(value, of) * of;
}

/// The constants at the start of the module. docs/targets/pytorch.md explains the scale of each
/// number.
std::string constantsOf(const Small& s) {
  const ir::Plan& plan = s.plan;
  const ir::Attention& a = plan.model.layer(0).attention;
  const std::uint64_t headSize = 4, hidden = a.heads * headSize;
  const std::uint64_t batch = std::min<std::uint64_t>(plan.layout.microBatch, 2);
  std::string out = "# ---- the plan\n\n";
  const auto set = [&](const char* name, const auto& value, const char* comment = "") {
    out += fmt::format("{} = {}{}\n", name, value, comment);
  };
  set("DEVICES", plan.mesh.devices);
  set("MESHES", meshesText(plan), "  # outermost axis first");
  set("AXES", axesText(plan), "  # size and stride");
  out += "GROUPS = {  # (count, stride) factors, slowest first\n";
  for (const ProcessGroup& group : s.groups)
    out += fmt::format("    \"{}\": {},\n", group.name, factorsText(group.factors));
  out += "}\nSTAGES = [  # first layer, layers, embedding, head; in the order of the model\n";
  for (const ir::Chunk& c : plan.chunks)
    out += fmt::format("    ({}, {}, {}, {}),\n", c.firstLayer, c.layers,
                       c.embedding ? "True" : "False", c.head ? "True" : "False");
  out += "]\n";
  if (s.pipeline > 1)
    set("SCHEDULE", s.scheduleClass());
  set("LAYERS", plan.model.layers());
  set("HEADS", a.heads);
  set("KV_HEADS", a.kind == ir::AttentionKind::Latent ? a.heads : a.kvHeads);
  if (s.routed && s.dense)
    set("EXPERT_LAYERS", s.layersWithExperts());
  out += "\n# ---- scaled down\n\n";
  set("HEAD_SIZE", headSize);
  set("HIDDEN", hidden);
  if (s.has('F'))
    set("WIDTH", multiple(2 * hidden, s.tensor));
  if (s.routed) {
    const std::uint64_t experts =
        s.expert * std::clamp<std::uint64_t>(s.routed->experts / s.expert, 1, 2);
    set("EXPERTS", experts);
    set("ACTIVE", std::min(s.routed->active, experts));
    set("EXPERT_WIDTH", multiple(hidden, s.expertTensor));
  }
  set("VOCAB", 64);
  set("SEQUENCE", 4 * s.context * s.tensor);
  set("MICRO_BATCH", batch);
  set("MICRO_BATCHES", s.microBatches);
  set("SEQUENCES", plan.mesh.dataRanks() * s.microBatches * batch, "  # of a step");
  return out;
}

std::string linesOf(const char* source, const Small& s) {
  std::string out;
  llvm::StringRef rest(source);
  while (!rest.empty()) {
    const auto [line, next] = rest.split('\n');
    rest = next;
    const auto [tags, text] = line.split('|');
    const bool kept = std::all_of(tags.begin(), tags.end(), [&](char tag) {
      const bool wanted = std::isupper(static_cast<unsigned char>(tag)) != 0;
      return s.has(static_cast<char>(std::toupper(static_cast<unsigned char>(tag)))) == wanted;
    });
    if (kept)
      out += text.str() + "\n";
  }
  return out;
}

std::string moduleFile(const TargetRequest& request, const Small& s) {
  std::string out = "#!/usr/bin/env python3\n" + headerOf(request);
  out += "\"\"\"Trains a small model of the plan's shape on the plan's mesh, and compares each "
         "loss with "
         "that of one process.\n\n"
         "Start it with launch.sh, or with torchrun and as many processes as the plan has devices; "
         "`--backend "
         "gloo` needs no GPU.\n"
         "\"\"\"\n"
         "import argparse\nimport os\nimport shutil\nimport signal\nimport sys\nimport zlib\n\n"
         "import torch\nimport torch.distributed as dist\nimport torch.nn.functional as F\n"
         "from torch import nn\nfrom torch.distributed import checkpoint\n"
         "from torch.distributed.device_mesh import init_device_mesh\n";
  if (s.pipeline > 1)
    out += "from torch.distributed.pipelining import PipelineStage" +
           std::string(s.fromTable() ? "\nfrom torch.distributed.pipelining.schedules import "
                                     : ", ") +
           s.scheduleClass() + "\n";
  return out + "\n" + constantsOf(s) + linesOf(modelSource, s) + linesOf(trainingSource, s);
}

/// The parts of this plan that the small model omits. docs/targets/pytorch.md lists what it always
/// omits.
std::vector<std::string> differencesOf(const Small& s) {
  const ir::Layout& layout = s.plan.layout;
  std::vector<std::string> out{"of the model only layers, heads, experts and stages are the "
                               "plan's; it is small, in fp64, of "
                               "PyTorch's own operators, and trained by SGD without clipping"};
  if (layout.shard.stage() > 0)
    out.push_back("every data rank holds parameters, gradients and state whole");
  if (layout.shard.sequence == ir::ShardAxis::Tensor && s.tensor > 1)
    out.push_back("tensor ranks do not split the sequence");
  if (layout.recompute.kind != ir::RecomputeKind::None)
    out.push_back("nothing is recomputed");
  if (s.plan.mesh.devices > 1)
    out.push_back(s.schedule.awaitsSends || s.pipeline == 1
                      ? "communication is not overlapped with computation"
                      : "only sends between stages are overlapped with computation");
  if (s.context > 1)
    out.push_back("context ranks gather keys and values instead of sending them in a ring");
  if (s.has('X'))
    out.push_back(
        "tokens reach experts by gather and sum, whatever `kernels.token_dispatcher` says");
  if (layout.graphs)
    out.push_back("no kernels are launched from graphs");
  if (s.plan.framework.compiled)
    out.push_back("torch.compile is not called");
  for (std::string& difference : checkpointDifferences(s.plan, /*deletes=*/true, /*async=*/true))
    out.push_back(std::move(difference));
  return out;
}

constexpr const char* launchTemplate = R"sh(#!/usr/bin/env bash
{header}#
# {world} processes: {nodes} nodes × {gpus} GPUs. Its own arguments are handed to train.py.
{differences}# Run it once on every node, with
{variables}set -euo pipefail

here=$(cd -- "$(dirname -- "${{BASH_SOURCE[0]}}")" && pwd)
{rendezvous}
# What the job that starts this says of checkpoints; an argument of its own wins.
checkpoints=()
if [ -n "${{CHECKPOINT_DIR:-}}" ]; then
  checkpoints=(--checkpoint-dir="$CHECKPOINT_DIR"
    ${{CHECKPOINT_INTERVAL:+--checkpoint-interval="$CHECKPOINT_INTERVAL"}}
    ${{CHECKPOINT_KEEP:+--checkpoint-keep="$CHECKPOINT_KEEP"}})
  if [ "${{CHECKPOINT_MODE:-}}" = async ]; then
    checkpoints+=(--checkpoint-mode=async)
  fi
fi

{run}torchrun \
  --nnodes {nodes} --nproc-per-node {gpus} --node-rank "$node_rank" \
  --master-addr "$master_addr" --master-port "$master_port" \
  "$here/train.py" "${{checkpoints[@]}}" "$@"
)sh";

} // namespace

std::vector<EmittedFile> dpl::pytorch::render(const TargetRequest& request) {
  const Small small(request.plan);
  std::vector<EmittedFile> files{
      {"train.py", moduleFile(request, small), true},
      {"launch.sh", LaunchScript(request, differencesOf(small)).render(launchTemplate), true}};
  if (small.fromTable())
    files.push_back({torchTableFile, torchTableOf(request.plan), false});
  return files;
}
