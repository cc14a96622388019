#pragma once
//===- WithoutEffect.h - NeMo and Megatron-Bridge settings that no plan shows -----------------===//
#include "frontend/import/settings/SettingsReader.h"

namespace dpl::imports::nemo {

/// Settings that affect neither the layout nor the cost of a step. A path includes all paths below
/// it.
inline const WordTable& withoutEffect() {
  static const WordTable paths(R"(
defaults hydra run name restore_from_path exp_manager s3_checkpointing env_vars *._target_ trainer
dataset data checkpoint logger rng dist tokenizer profiling validation train scheduler
rerun_state_machine nvrx_straggler straggler ft inprocess_restart ddp.check_for_nan_in_grad
ddp.average_in_collective ddp.data_parallel_sharding_strategy optimizer.adam_eps optimizer.clip_grad
model.data model.tokenizer model.nsys_profile model.name model.mcore_gpt model.precision model.seed
model.pre_process model.post_process model.parallel_output model.onnx_safe model.hysteresis
model.native_amp_init_scale model.native_amp_growth_interval model.apex_transformer_log_level
model.apply_query_key_layer_scaling model.attention_softmax_in_fp32 model.normalize_attention_scores
model.rotary_interleaved model.use_scaled_init_method model.use_cpu_initialization
model.do_layer_norm_weight_decay model.resume_from_checkpoint model.fp16_lm_cross_entropy
model.fp32_residual_connection model.fp8_amax_compute_algo model.fp8_amax_history_len
model.fp8_interval model.fp8_margin model.fp8_wgrad model.reduce_amax model.gc_interval
model.get_attention_mask_from_fusion model.grad_allreduce_chunk_size_mb model.grad_div_ar_fusion
model.gradient_accumulation_fusion model.gradient_as_bucket_view model.bias_dropout_add_fusion
model.bias_dropout_fusion model.masked_softmax_fusion model.persist_layer_norm model.sync_batch_comm
model.batch_p2p_comm model.transformer_engine model.use_flash_attention model.attention_backend
model.use_emha model.use_te_rng_tracker model.sharp model.nccl_communicator_config_path
model.deterministic_mode model.deteministic_mode model.defer_embedding_wgrad_compute
model.wgrad_deferral_limit model.ub_tp_comm_overlap_cfg model.tp_comm_overlap_cfg
model.tp_comm_overlap_ag model.tp_comm_overlap_rs model.dist_ckpt_format
model.dist_ckpt_load_on_device model.dist_ckpt_parallel_save model.dist_ckpt_parallel_load
model.enable_megatron_timers model.megatron_timer_kwargs model.validation_param_sync_overlap
model.moe_grouped_gemm model.moe_pad_expert_input model.fsdp_sharding_strategy
model.fsdp_grad_reduce_dtype model.fsdp_sharded_checkpoint model.cpu_offloading_activations
model.cpu_offloading_weights model.cpu_offloading_num_layers model.tp_only_amax_red
model.optim.bucket_cap_mb model.optim.contiguous_grad_buffer model.optim.contiguous_param_buffer
model.optim.lock_timeout model.optim.nccl_ub model.optim.eps model.optim.dtype model.optim.sched
model.params_dtype model.pipeline_dtype model.autocast_dtype model.should_pad_vocab
model.deallocate_pipeline_outputs model.scatter_embedding_sequence_parallel
model.rope_scaling_factor)");
  return paths;
}

/// Defaults of NeMo 1. A second table has those that are equal in Megatron-Bridge.
inline const settings::DefaultTable& defaults() {
  static const settings::DefaultTable table{
#define DEFAULT(VALUE, SETTINGS) {VALUE, SETTINGS},
#include "frontend/import/nemo/BothDefaults.def"
#include "frontend/import/nemo/Defaults.def"
  };
  return table;
}

inline const settings::DefaultTable& bridgeDefaults() {
  static const settings::DefaultTable table{
#define DEFAULT(VALUE, SETTINGS) {VALUE, SETTINGS},
#include "frontend/import/nemo/BothDefaults.def"
#include "frontend/import/nemo/BridgeDefaults.def"
  };
  return table;
}

} // namespace dpl::imports::nemo
