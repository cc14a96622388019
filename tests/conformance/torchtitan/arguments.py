"""A layout as torchtitan's configuration, without dplc: what a person would write who wants this layout."""
from agreement import Inexpressible

SCHEDULES = {"1f1b": "1F1B", "gpipe": "GPipe", "interleaved_1f1b": "Interleaved1F1B",
             "interleaved_zb": "InterleavedZeroBubble", "zb_v": "ZBVZeroBubble", "dualpipe_v": "DualPipeV"}


def _needs(holds, what):
    if not holds:
        raise Inexpressible(what)


def _dtypes(d):
    """(training.dtype, mixed_precision_param)"""
    kinds = (d.parameters, d.gradients, d.master, d.moments)
    if d.compute == "fp32" and set(kinds) <= {"fp32", "none"}:
        return "float32", "float32"
    if d.compute == "bf16" and kinds == ("bf16", "bf16", "none", "bf16"):
        return "bfloat16", "bfloat16"
    _needs(d.compute == "bf16" and d.gradients == d.moments == "fp32" and
           (d.master == "fp32" or (d.master, d.parameters) == ("none", "fp32")), "these number formats")
    return "float32", "bfloat16"


def check(d, old):
    """Raises for what the configuration has no field for."""
    sharded = d.zero == 3 or d.data == 1
    _needs(d.wide == 0, "a model that is no flavor")
    _needs(d.zero in (0, 3) or d.data == 1, "ZeRO 1 and 2")
    _needs(d.overlap_gradients or d.data * d.replica == 1, "gradients that are not overlapped")
    _needs(d.reduce == "fp32" or d.data * d.replica * d.context == 1, "reduction in bf16")
    _needs(d.recompute != "selective" or set(d.modules) == {"norm", "activation", "every_other_matmul"},
           "selective recomputation of named modules")
    _needs(not (old and d.tensor > 1 and not d.sequence_parallel), "tensor parallelism without sequence parallelism")
    _needs(not (old and d.graphs), "graphs")
    _needs(d.sequence_parallel or not d.overlap_tensor, "asynchronous tensor parallelism without sequence parallelism")
    _needs(not d.overlap_experts or (old and d.expert > 1 and d.schedule == "dualpipe_v"),
           "exchanges of experts beside computation")
    _needs(d.split or d.layers % (d.pipeline * d.chunks) == 0, "an even split of layers that do not divide")
    stages = d.pipeline * d.chunks
    _needs(not d.split or (len(d.split) == stages and sum(d.split) == d.layers), "this split")
    _needs(d.batch % (d.micro * max(1, d.data) * d.replica) == 0, "a part of a micro-batch")
    _needs(d.pipeline > 1 or d.chunks == 1, "interleaved chunks without a pipeline")
    alone = d.tensor * d.pipeline == 1
    fsdp = (d.data if sharded and d.zero == 3 else 1) * d.context > 1
    _needs(not old or fsdp or alone or _dtypes(d)[1] == "float32" or _dtypes(d)[0] == "bfloat16",
           "mixed precision without FSDP beside tensor or pipeline parallelism: it runs fp32")
    if d.experts:
        _needs(d.expert > 1 or d.expert_tensor == d.tensor, "experts that are split otherwise than by tensor")
        _needs(old or d.expert == 1 or d.expert_tensor == 1, "expert tensor parallelism")


def stages(d, head):
    """The modules of each stage."""
    count = d.pipeline * d.chunks
    sizes = list(d.split) or [d.layers // count] * count
    out, first = [], 0
    for i, size in enumerate(sizes):
        names = [f"layers.{k}" for k in range(first, first + size)]
        out.append((["tok_embeddings"] if i == 0 else []) + names + (["norm", head] if i == count - 1 else []))
        first += size
    return out


def fields(d, old):
    """(parallelism, training) of the configuration, by field."""
    dtype, param = _dtypes(d)
    shard, replicate = (d.data, d.replica) if d.zero == 3 else (1, d.replica * max(1, d.data))
    parallelism = {
        "data_parallel_replicate_degree": replicate, "data_parallel_shard_degree": shard,
        "fsdp_reshard_after_forward": "always" if d.reshard else "never", "context_parallel_degree": d.context,
        "tensor_parallel_degree": d.tensor, "pipeline_parallel_degree": d.pipeline,
        "pipeline_parallel_schedule": SCHEDULES[d.schedule], "pipeline_parallel_microbatch_size": d.micro}
    if d.experts:
        parallelism["expert_parallel_degree"] = d.expert
        if old:
            parallelism["pipeline_parallel_expert_parallel_overlap"] = d.overlap_experts
            parallelism["expert_tensor_parallel_degree"] = d.expert_tensor
    if old:
        parallelism["enable_async_tensor_parallel"] = d.overlap_tensor
    else:
        parallelism["enable_sequence_parallel"] = d.sequence_parallel
    if d.pipeline > 1:
        parallelism["module_fqns_per_model_part"] = stages(d, "output" if old else "lm_head")
    passes = d.batch // (d.micro * max(1, d.data) * d.replica)
    training = {"local_batch_size": d.micro * passes if d.pipeline > 1 else d.micro, "global_batch_size": d.batch,
                "seq_len": d.sequence, "dtype": dtype, "mixed_precision_param": param}
    if not old:
        training["disable_cuda_graphs"] = not d.graphs
    return parallelism, training
