#pragma once
//===- Parts.h - Keys of a ds_config.json -----------------------------------------------------===//
#include "frontend/import/settings/SettingsReader.h"
#include "llvm/ADT/STLExtras.h"

namespace dpl::imports::deepspeed {

/// Settings that affect neither the layout nor the cost of a step: logs, checkpoints, numerics of
/// the loss, and buffers that a plan does not model. A path includes all paths below it.
inline const WordTable& withoutEffect() {
  static const WordTable paths(R"(
_comment gradient_clipping steps_per_print wall_clock_breakdown memory_breakdown dump_state
tensorboard wandb csv_monitor comet comms_logger comms_config monitor_config timers autotuning
log_level disable_python_gc aio flops_profiler checkpoint prescale_gradients
gradient_predivide_factor gradient_allreduce_op zero_allow_untested_optimizer
zero_force_ds_cpu_optimizer dataloader_drop_last seq_parallel_communication_data_type
data_types.param_dtype data_types.buffer_dtype fp16.loss_scale fp16.initial_scale_power
fp16.loss_scale_window fp16.hysteresis fp16.consecutive_hysteresis fp16.min_loss_scale
fp16.auto_cast bf16.check_grad_overflow bf16.immediate_grad_update bfloat16.immediate_grad_update
torch_autocast.lower_precision_safe_modules optimizer.params.eps optimizer.params.bias_correction
optimizer.params.torch_adam optimizer.params.fused optimizer.params.amsgrad
optimizer.legacy_fusion scheduler.params.warmup_type scheduler.params.warmup_min_ratio
scheduler.params.last_batch_iteration scheduler.params.warmup_min_lr
zero_optimization.contiguous_gradients zero_optimization.offload_optimizer.pin_memory
zero_optimization.offload_optimizer.buffer_count zero_optimization.offload_optimizer.fast_init
zero_optimization.offload_param.pin_memory zero_optimization.offload_param.buffer_count
zero_optimization.offload_param.buffer_size zero_optimization.offload_param.max_in_cpu
zero_optimization.reduce_scatter zero_optimization.allgather_partitions
zero_optimization.allgather_bucket_size zero_optimization.use_multi_rank_bucket_allreduce
zero_optimization.load_from_fp32_weights zero_optimization.elastic_checkpoint
zero_optimization.sub_group_size zero_optimization.stage3_param_persistence_threshold
zero_optimization.stage3_model_persistence_threshold zero_optimization.stage3_max_live_parameters
zero_optimization.stage3_max_reuse_distance
zero_optimization.stage3_gather_16bit_weights_on_model_save
zero_optimization.stage3_gather_fp16_weights_on_model_save
zero_optimization.stage3_module_granularity_threshold
zero_optimization.stage3_use_all_reduce_for_fetch_params zero_optimization.round_robin_gradients
zero_optimization.ignore_unused_parameters zero_optimization.legacy_stage1
zero_optimization.memory_efficient_linear zero_optimization.override_module_apply
zero_optimization.log_trace_cache_warnings activation_checkpointing.partition_activations
activation_checkpointing.contiguous_memory_optimization
activation_checkpointing.synchronize_checkpoint_boundary
activation_checkpointing.number_checkpoints activation_checkpointing.profile pipeline.seed_layers
pipeline.use_reentrant tensor_parallel.tp expert_parallel.enabled)");
  return paths;
}

inline const settings::DefaultTable& defaults() {
  static const settings::DefaultTable table{
#define DEFAULT(VALUE, SETTINGS) {VALUE, SETTINGS},
#include "frontend/import/deepspeed/Defaults.def"
  };
  return table;
}

inline bool isKnownPart(llvm::StringRef key) {
  /// Top-level keys of DeepSpeed 0.19 or of an earlier release that are not in the tables above.
  static const WordTable parts(R"(
optimizer scheduler torch_autocast data_types bfloat16 expert_parallel sequence_parallel_size
communication_data_type data_efficiency weight_quantization datastates_ckpt domino
compression_training amp sparse_attention sparse_gradients progressive_layer_drop
curriculum_learning eigenvalue elasticity quantize_training graph_harvesting zero_allow_offload
cpu_offload)");
  const auto names = [&](llvm::StringRef path) { return path.split('.').first == key; };
  return parts.has(key) || llvm::any_of(withoutEffect(), names) ||
         llvm::any_of(defaults().settings(), names);
}

} // namespace dpl::imports::deepspeed
