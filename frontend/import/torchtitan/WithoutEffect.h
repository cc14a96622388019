#pragma once
//===- WithoutEffect.h - torchtitan settings that no plan shows -------------------------------===//
#include "frontend/import/settings/SettingsReader.h"

namespace dpl::imports::torchtitan {

/// Settings that affect neither the layout nor the cost of a step. Two are of a public fork:
/// `infra` (processors of the host that a process uses) and `optimizer.follow_fsdp_groups` (tensors
/// that a kernel updates).
inline const WordTable& withoutEffect() {
  static const WordTable paths(R"(
job infra memory_estimation estimate global training.checkpoint_interval
training.checkpoint_interval_type training.checkpoint_folder profiling profiler metrics checkpoint
checkpointer validation validator comm debug override fault_tolerance dataloader tokenizer loss
hf_assets_path dump_folder model.hf_assets_path model.tokenizer_path model.print_after_conversion
model.attn_backend model.moe_comm_backend model.fuse_qkv model.use_flex_attn model.attn_mask_type
experimental training.dataset training.dataset_path training.dataloader training.max_norm
training.gc_freq training.gc_debug training.seed training.deterministic
training.debug_moe_force_load_balance training.enable_compiled_autograd
training.enable_loss_parallel training.disable_loss_parallel experimental.enable_loss_parallel
parallelism.enable_compiled_autograd optimizer.eps optimizer.implementation optimizer.fused
optimizer.foreach optimizer.follow_fsdp_groups lr_scheduler.total_steps
parallelism.disable_loss_parallel parallelism.context_parallel_load_balancer
parallelism.context_parallel_rotate_method parallelism.pipeline_parallel_expert_parallel_overlap
parallelism.spmd_backend compile float8 mx quantize.linear.float8.enable_fsdp_float8_all_gather
quantize.linear.float8.precompute_float8_dynamic_scale_for_fsdp
quantize.linear.float8.force_recompute_fp8_weight_in_bwd
quantize.linear.float8.model_compile_enabled quantize.linear.float8.emulate
activation_checkpoint.per_op_sac_force_recompute_mm_shapes_by_fqns
activation_checkpoint.preserve_rng_state activation_checkpoint.determinism_check
activation_checkpoint.debug activation_checkpoint.memory_budget
activation_checkpoint.visualize_memory_budget_pareto)");
  return paths;
}

inline const settings::DefaultTable& defaults() {
  static const settings::DefaultTable table{
#define DEFAULT(VALUE, SETTINGS) {VALUE, SETTINGS},
#include "frontend/import/torchtitan/Defaults.def"
  };
  return table;
}

inline constexpr settings::Difference different[] = {
    {"optimizer.early_step_in_backward",
     "the optimizer steps inside the backward pass and frees each gradient there; the plan holds "
     "the gradients until the step"},
    // The settings below are those of a public fork.
    {"parallelism.prefetch_distance",
     "FSDP gathers the parameters several layers ahead; the plan gathers one layer ahead"},
    {"parallelism.prefetch_before_data", "FSDP gathers the first parameters before the batch has "
                                         "arrived; the plan gathers them with the "
                                         "step"},
};

} // namespace dpl::imports::torchtitan
