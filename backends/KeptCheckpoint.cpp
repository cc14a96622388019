//===- KeptCheckpoint.cpp - Whether a changed layout loads the checkpoint of a job ------------===//
#include "backends/KeptCheckpoint.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using ir::Axis;

namespace {
constexpr CheckpointRules rules[] = {
    {"megatron", "torch_dist", Resharding::Loads, Resharding::Converted, Resharding::Refused,
     "it was saved with --dist-ckpt-optim-fully-reshardable",
     "Megatron-LM, docs/api-guide/core/dist_checkpointing.md",
     "--dist-ckpt-optim-fully-reshardable"},
    {"deepspeed", "ZeRO", Resharding::Converted, Resharding::Refused, Resharding::Refused,
     "ds_to_universal.py converts it",
     "Megatron-DeepSpeed, examples_deepspeed/universal_checkpointing/README.md"},
    {"torchtitan", "DCP", Resharding::Loads, Resharding::Loads, Resharding::Loads, "",
     "PyTorch, docs/distributed.checkpoint"},
};

bool differs(const ir::Plan& a, const ir::Plan& b, llvm::ArrayRef<Axis> axes) {
  return llvm::any_of(axes, [&](Axis axis) { return a.mesh.size(axis) != b.mesh.size(axis); });
}

/// Whether each model chunk has the same layers on the same pipeline rank.
bool placesAlike(const ir::Plan& a, const ir::Plan& b) {
  return a.chunks.size() == b.chunks.size() &&
         std::equal(a.chunks.begin(), a.chunks.end(), b.chunks.begin(),
                    [](const ir::Chunk& x, const ir::Chunk& y) {
                      return x.rank == y.rank && x.chunk == y.chunk &&
                             x.firstLayer == y.firstLayer && x.layers == y.layers;
                    });
}
} // namespace

void dpl::saveForOtherLayouts(ir::Plan& plan) {
  const CheckpointRules* known = checkpointRulesOf(plan);
  if (!known || !known->argument || plan.layout.shard.stage() != 1)
    return;
  // Without arguments, launch.sh runs a test that saves nothing.
  for (ir::Launch& launch : plan.launches)
    if (launch.program.empty() && !launch.arguments.empty() &&
        !llvm::is_contained(launch.arguments, known->argument))
      launch.arguments.emplace_back(known->argument);
}

llvm::ArrayRef<CheckpointRules> dpl::checkpointRules() { return rules; }

const CheckpointRules* dpl::checkpointRulesOf(const ir::Plan& plan) {
  const auto known = llvm::find_if(
      rules, [&](const CheckpointRules& rule) { return plan.framework.name == rule.framework; });
  return known == std::end(rules) ? nullptr : known;
}

std::optional<std::string> dpl::checkpointCondition(const ir::Plan& plan, const ir::Plan& changed) {
  const CheckpointRules* known = checkpointRulesOf(plan);
  std::string condition;
  const auto allowed = [&](bool change, Resharding CheckpointRules::*how) {
    if (!change)
      return true;
    if (known && known->*how == Resharding::Converted)
      condition = known->condition;
    return known && known->*how != Resharding::Refused;
  };
  const bool model =
      differs(plan, changed, {Axis::Pipeline, Axis::Tensor, Axis::Expert, Axis::ExpertTensor}) ||
      !placesAlike(plan, changed);
  const bool data = differs(plan, changed, {Axis::Replica, Axis::Data, Axis::Context});
  const bool stage = plan.layout.shard.stage() != changed.layout.shard.stage();
  if (!allowed(model, &CheckpointRules::model) || !allowed(data, &CheckpointRules::data) ||
      !allowed(stage, &CheckpointRules::stage))
    return std::nullopt;
  return condition;
}
