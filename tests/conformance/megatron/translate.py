"""A drawn layout as Megatron-LM's options, written from its documentation and never through dplc.

The same numbers that dplc reads as a .dpl file, so that what either says of the layout can be compared.
"""
from agreement import Inexpressible

RUN = ["--mock-data", "--tokenizer-type", "NullTokenizer", "--train-iters", "20", "--eval-iters", "0",
       "--lr", "1.0e-4"]
MODULES = {"core_attention": "core_attn", "mlp": "mlp", "norm": "layernorm", "activation": "moe_act",
           "moe": "moe", "shared_experts": "shared_experts", "mla_up": "mla_up_proj"}
OWN_TYPES = (0, 17)  # since when fully sharded data parallelism has types of its own
STRATEGY = {2: "optim_grads", 3: "optim_grads_params"}


def counts(d):
    """Layers of each chunk in model order, or None where Megatron-LM divides them itself."""
    stages = d.pipeline * d.chunks
    if d.split:
        if d.embedding_slots or d.head_slots:
            raise Inexpressible("slots beside a split that is listed")
        if len(d.split) != stages:
            raise Inexpressible(f"a split of {len(d.split)} entries for {stages} chunks")
        return list(d.split)
    if max(d.embedding_slots, d.head_slots) > 1:  # the options count one layer; a list can say more
        slots = d.layers + d.embedding_slots + d.head_slots
        if slots % stages or slots // stages < max(d.embedding_slots, d.head_slots):
            raise Inexpressible("slots that do not divide")
        split = [slots // stages] * stages
        split[0] -= d.embedding_slots
        split[-1] -= d.head_slots
        return split
    return None


def layout_string(split, prediction_layers):
    stages = ["t" * count for count in split]
    stages[0] = "E" + stages[0]
    stages[-1] += "m" * prediction_layers + "L"
    return "|".join(stages)


def swapped(d):
    """Whether the ranks differ from the default order: an axis of one rank has no place."""
    data = d.stage_devices // (d.tensor * d.context)
    if d.experts:
        data = max(data, d.stage_devices // (d.expert * d.expert_tensor))
    return d.data_outside and d.pipeline > 1 and data > 1


def gathering(d):
    """Rings, the default of context parallelism, have no sliding window."""
    return ["--cp-comm-type", "all_gather"] if d.window and not d.latent and d.context > 1 else []


def _model(d):
    out = ["--num-layers", d.layers, "--hidden-size", d.hidden, "--num-attention-heads", d.heads,
           "--ffn-hidden-size", d.width, "--seq-length", d.sequence, "--max-position-embeddings", d.sequence,
           "--vocab-size", d.vocab, "--make-vocab-size-divisible-by", 128,
           "--normalization", {"rms": "RMSNorm", "layer": "LayerNorm"}[d.norm], "--position-embedding-type",
           {"rotary": "rope", "learned": "learned_absolute", "none": "none"}[d.positions],
           "--attention-dropout", "0", "--hidden-dropout", "0"]
    if d.latent:
        out += ["--multi-latent-attention", "--q-lora-rank", 512, "--kv-lora-rank", d.kv_rank, "--qk-head-dim", 64,
                "--qk-pos-emb-head-dim", d.rope, "--v-head-dim", 64, "--kv-channels", 64, "--qk-layernorm",
                "--rope-type", "rope", "--no-rope-fusion"]
    elif d.kv_heads != d.heads:
        out += ["--group-query-attention", "--num-query-groups", d.kv_heads]
    if not d.latent:
        out += ["--kv-channels", d.head_dim] if d.head_dim else []
        out += ["--window-size", f"{d.window - 1},0"] if d.window else []
    flags = [("--swiglu", d.gated), ("--no-bias-gelu-fusion", d.bias and not d.gated),
             ("--untie-embeddings-and-output-weights", not d.tied),
             ("--disable-bias-linear", not d.bias), ("--qk-layernorm", d.qk_norm and not d.latent)]
    out += [flag for flag, wanted in flags if wanted]
    if d.prediction_layers:
        out += ["--mtp-num-layers", d.prediction_layers]
    return out


def _experts(d):
    if not d.experts:
        return []
    out = ["--num-experts", d.experts, "--moe-ffn-hidden-size", d.expert_width, "--moe-router-topk", d.active,
           "--moe-router-load-balancing-type", "aux_loss", "--moe-aux-loss-coeff", "0.01",
           "--moe-grouped-gemm", "--moe-token-dispatcher-type", "alltoall", "--expert-model-parallel-size",
           d.expert, "--expert-tensor-parallel-size", d.expert_tensor]
    if d.active == 1:
        out.append("--moe-router-pre-softmax")
    if d.dense_layers:
        out += ["--moe-layer-freq", f"[0]*{d.dense_layers}+[1]*{d.layers - d.dense_layers}"]
    if d.shared:
        out += ["--moe-shared-expert-intermediate-size", d.shared * d.expert_width]
    if d.capacity:
        out += ["--moe-expert-capacity-factor", d.capacity]
    return out


def _mesh(d):
    out = ["--tensor-model-parallel-size", d.tensor, "--pipeline-model-parallel-size", d.pipeline,
           "--context-parallel-size", d.context, *gathering(d),
           "--micro-batch-size", d.micro, "--global-batch-size", d.batch]
    if swapped(d):
        out.append("--use-tp-pp-dp-mapping")
    ranks = d.world // (d.tensor * d.context * d.pipeline)
    if ranks % d.replica:
        raise Inexpressible(f"{d.replica} replicas of {ranks} data ranks")
    if d.experts and d.replica > 1 and d.zero == 0 and d.stage_devices // d.replica % (d.expert * d.expert_tensor):
        raise Inexpressible("replicas that share an expert grid")  # with zero > 0 it knows replicas itself
    if d.schedule == "gpipe" and d.pipeline > 1:
        raise Inexpressible("all forwards before all backwards")
    split = counts(d)
    if split:
        if sum(split) == d.layers and len(split) == 1:
            pass  # one stage holds everything
        else:
            out += ["--pipeline-model-parallel-layout", layout_string(split, d.prediction_layers)]
    else:
        out += ["--account-for-embedding-in-pipeline-split"] * (d.embedding_slots == 1)
        out += ["--account-for-loss-in-pipeline-split"] * (d.head_slots == 1)
        if d.chunks > 1:
            out += ["--num-virtual-stages-per-pipeline-rank", d.chunks]
    if d.group:
        out += ["--microbatch-group-size-per-virtual-pipeline-stage", d.group]
    if d.chunks > 1 and not d.overlap_pipeline:
        out.append("--no-overlap-p2p-communication")
    return out


def _state(d):
    out = ["--sequence-parallel"] * d.sequence_parallel + ["--use-distributed-optimizer"] * (d.zero > 0)
    if d.zero and d.replica > 1:
        out += ["--num-distributed-optimizer-instances", d.replica]
    if d.zero > 1:
        out += ["--use-megatron-fsdp", "--data-parallel-sharding-strategy", STRATEGY[d.zero],
                "--ckpt-format", "fsdp_dtensor"]
    if d.zero == 3 and not d.reshard:
        raise Inexpressible("sharded parameters that stay after the forward pass")
    out += ["--overlap-grad-reduce"] * d.overlap_gradients
    out += ["--overlap-param-gather"] * (d.overlap_parameters and d.zero > 0)  # else there is no gather
    out += ["--tp-comm-overlap"] * d.overlap_tensor + ["--overlap-moe-expert-parallel-comm"] * d.overlap_experts
    if not d.fused_attention:
        out += ["--attention-backend", "unfused"]
    if d.recompute == "full":
        out += ["--recompute-granularity", "full", "--recompute-method", d.recompute_method,
                "--recompute-num-layers", d.recompute_layers]
    elif d.recompute == "selective":
        if "attention" in d.modules:
            raise Inexpressible("recomputing all of attention")
        if "activation" in d.modules and not d.experts:
            raise Inexpressible("recomputing the activation of a dense part")
        out += ["--recompute-granularity", "selective", "--recompute-modules", *(MODULES[m] for m in d.modules)]
    return out


def _numbers(d, release):
    wide = "bf16" if d.compute in ("fp8", "mxfp8") else d.compute
    out = ["--" + wide] if wide in ("bf16", "fp16") else []
    if wide not in ("bf16", "fp16", "fp32"):
        raise Inexpressible(f"{wide} compute")
    if d.parameters not in (wide, d.compute):
        raise Inexpressible(f"{d.parameters} parameters with {d.compute} compute")
    if d.compute == "fp8":
        out += ["--fp8-format", "hybrid", "--fp8-recipe", "tensorwise"]
    elif d.compute == "mxfp8":
        out += ["--fp8-format", "e4m3", "--fp8-recipe", "mxfp8"]
    if d.parameters != wide:
        out.append("--fp8-param-gather")
    if d.zero > 1 and release >= OWN_TYPES:
        if not {d.gradients, d.reduce} <= {"fp32", wide}:
            raise Inexpressible(f"{d.gradients} gradients reduced in {d.reduce}")
        out += ["--megatron-fsdp-main-grads-dtype", d.gradients, "--megatron-fsdp-grad-comm-dtype", d.reduce]
    elif d.gradients != d.reduce or d.gradients not in ("fp32", wide):
        raise Inexpressible(f"{d.gradients} gradients reduced in {d.reduce}")
    elif d.gradients == "fp32" and wide != "fp32":
        out.append("--accumulate-allreduce-grads-in-fp32")
    elif d.gradients == "bf16":
        out.append("--grad-reduce-in-bf16")
    if wide == "fp32" and d.master not in ("none", "fp32"):
        raise Inexpressible("a master copy of fp32 parameters")
    if wide != "fp32" and d.master == "none":
        raise Inexpressible("no master copy")
    master = "fp32" if d.master == "none" else d.master
    if d.moments != "fp32" or master != "fp32":
        out += ["--use-precision-aware-optimizer", "--main-params-dtype", master, "--exp-avg-dtype", d.moments,
                "--exp-avg-sq-dtype", d.moments]
    return out + ["--optimizer", "sgd" if d.optimizer == "sgd" else "adam"]


def before_own_types(d):
    if d.zero > 1 and (d.gradients != d.reduce or d.master not in ("fp32", "none")):
        raise Inexpressible(f"{d.gradients} gradients reduced in {d.reduce}, a master copy in {d.master}")


def arguments(d, release):
    """The options as strings; Inexpressible where there is none for something the layout says."""
    if release < OWN_TYPES:
        before_own_types(d)
    return [str(t) for t in [*_model(d), *_experts(d), *_mesh(d), *_state(d), *_numbers(d, release), *RUN]]


def connections(d):
    """CUDA_DEVICE_MAX_CONNECTIONS as this layout needs it, or None for unset."""
    if d.zero > 1:
        return None
    return "32" if d.overlap_experts and d.tensor == 1 and d.context == 1 else "1"
