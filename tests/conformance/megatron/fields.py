"""A drawn layout as Megatron-LM's configuration objects, for releases whose wheel has no argument parser.

What pretrain_gpt.py of those releases makes of the options of translate.py, written from its documentation.
"""
import types

import translate

DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16", "fp8": "uint8"}


def dtype(torch, name):
    return getattr(torch, DTYPES[name])


def sizes(d):
    """What initialize_model_parallel is called with."""
    split = translate.counts(d)
    chunks = len(split) // d.pipeline if split else d.chunks
    return types.SimpleNamespace(
        tensor_model_parallel_size=d.tensor, pipeline_model_parallel_size=d.pipeline,
        virtual_pipeline_model_parallel_size=chunks if chunks > 1 else None, context_parallel_size=d.context,
        expert_model_parallel_size=d.expert if d.experts else 1,
        expert_tensor_parallel_size=d.expert_tensor if d.experts else d.tensor,
        num_distributed_optimizer_instances=d.replica if d.zero else 1,
        use_tp_pp_dp_mapping=translate.swapped(d))


def data_parallel(d):
    return {"grad_reduce_in_fp32": d.gradients == "fp32", "overlap_grad_reduce": d.overlap_gradients,
            "overlap_param_gather": d.overlap_parameters and d.zero > 0,
            "use_distributed_optimizer": d.zero > 0, "use_megatron_fsdp": d.zero > 1,
            "num_distributed_optimizer_instances": d.replica if d.zero else 1,
            "fp8_param_gather": d.parameters in ("fp8", "mxfp8"),
            "data_parallel_sharding_strategy": translate.STRATEGY.get(d.zero, "no_shard")}


def optimizer(d, torch):
    wide = "bf16" if d.compute in ("fp8", "mxfp8") else d.compute
    out = {"optimizer": "sgd" if d.optimizer == "sgd" else "adam", "lr": 1e-4, "bf16": wide == "bf16",
           "fp16": wide == "fp16", "params_dtype": dtype(torch, wide), "use_distributed_optimizer": d.zero > 0,
           "overlap_param_gather": d.overlap_parameters and d.zero > 0}
    master = "fp32" if d.master == "none" else d.master
    if d.moments != "fp32" or master != "fp32":
        if master not in ("fp32", "fp16"):
            raise ValueError(f"--main-params-dtype has no choice {master}")
        out |= {"use_precision_aware_optimizer": True, "main_params_dtype": dtype(torch, master),
                "exp_avg_dtype": dtype(torch, d.moments), "exp_avg_sq_dtype": dtype(torch, d.moments)}
    return out


def model(d, torch):
    from megatron.core.transformer import MLATransformerConfig, TransformerConfig
    from megatron.core.transformer.enums import AttnBackend
    world = sizes(d)
    wide = "bf16" if d.compute in ("fp8", "mxfp8") else d.compute
    split = translate.counts(d)
    out = {
        "num_layers": d.layers, "hidden_size": d.hidden, "num_attention_heads": d.heads,
        "num_query_groups": None if d.latent or d.kv_heads == d.heads else d.kv_heads,
        "ffn_hidden_size": d.width, "gated_linear_unit": d.gated, "add_bias_linear": d.bias,
        "activation_func": torch.nn.functional.silu if d.gated else torch.nn.functional.gelu,
        "bias_activation_fusion": False, "normalization": {"rms": "RMSNorm", "layer": "LayerNorm"}[d.norm],
        "qk_layernorm": d.qk_norm or d.latent, "mtp_num_layers": d.prediction_layers or None,
        "attention_dropout": 0.0, "hidden_dropout": 0.0,
        "tensor_model_parallel_size": d.tensor, "pipeline_model_parallel_size": d.pipeline,
        "virtual_pipeline_model_parallel_size": world.virtual_pipeline_model_parallel_size,
        "context_parallel_size": d.context, "expert_model_parallel_size": world.expert_model_parallel_size,
        "expert_tensor_parallel_size": world.expert_tensor_parallel_size,
        "sequence_parallel": d.sequence_parallel and d.tensor > 1,
        "bf16": wide == "bf16", "fp16": wide == "fp16", "params_dtype": dtype(torch, wide),
        "pipeline_dtype": dtype(torch, wide), "overlap_moe_expert_parallel_comm": d.overlap_experts,
        "overlap_p2p_comm": d.overlap_pipeline and world.virtual_pipeline_model_parallel_size is not None,
        "tp_comm_overlap": d.overlap_tensor, "microbatch_group_size_per_vp_stage": d.group or None}
    out["batch_p2p_comm"] = not out["overlap_p2p_comm"]
    if split:
        out["pipeline_model_parallel_layout"] = translate.layout_string(split, d.prediction_layers)
    else:
        out["account_for_embedding_in_pipeline_split"] = d.embedding_slots == 1
        out["account_for_loss_in_pipeline_split"] = d.head_slots == 1
    if split and len(split) == 1:
        del out["pipeline_model_parallel_layout"]
    if d.experts:
        out |= {"num_moe_experts": d.experts, "moe_ffn_hidden_size": d.expert_width, "moe_router_topk": d.active,
                "moe_grouped_gemm": True, "moe_token_dispatcher_type": "alltoall",
                "moe_router_pre_softmax": d.active == 1, "moe_expert_capacity_factor": d.capacity or None,
                "moe_shared_expert_intermediate_size": d.shared * d.expert_width or None,
                "moe_layer_freq": [int(d.routed(layer)) for layer in range(d.layers)]}
    if d.recompute == "full":
        out |= {"recompute_granularity": "full", "recompute_method": d.recompute_method,
                "recompute_num_layers": d.recompute_layers}
    elif d.recompute == "selective":
        out |= {"recompute_granularity": "selective",
                "recompute_modules": [translate.MODULES[m] for m in d.modules]}
    if d.compute in ("fp8", "mxfp8"):
        out |= {"fp8": "hybrid" if d.compute == "fp8" else "e4m3",
                "fp8_recipe": "tensorwise" if d.compute == "fp8" else "mxfp8", "fp8_param": d.parameters != wide}
    if not d.fused_attention:
        out["attention_backend"] = AttnBackend.unfused
    if not d.latent:
        out |= {"kv_channels": d.head_dim or None, "window_size": (d.window - 1, 0) if d.window else None}
    if translate.gathering(d):
        out["cp_comm_type"] = "all_gather"
    if d.latent:
        out |= {"kv_channels": 64, "q_lora_rank": 512, "kv_lora_rank": d.kv_rank, "qk_head_dim": 64, "qk_pos_emb_head_dim": d.rope,
                "v_head_dim": 64, "rope_type": "rope", "apply_rope_fusion": False}
    return (MLATransformerConfig if d.latent else TransformerConfig)(**out)
