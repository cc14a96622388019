"""Layouts that dplc refuses for Accelerate, each by another rule, and what Accelerate says where it can be asked."""
import functools
import types

import refusing

STAGES = {"nodes": 2, "pipeline": 4, "layers": 8, "batch": 64, "recompute": "full"}
NARROW = {"reduce": "bf16"}
SHARDED = {"zero": 3, **NARROW}
QUIET = {"overlap_gradients": False, "overlap_parameters": False}
LOUD = {"overlap_gradients": True, "overlap_parameters": True}


def mesh(**sizes):
    """Makes and checks a mesh of these sizes as Accelerator() would under FSDP2."""
    def ask_it(client):
        config = client.ParallelismConfig(**{f"{name}_size": size for name, size in sizes.items()})
        config._validate_accelerator(types.SimpleNamespace(
            is_fsdp2=True, multi_device=True, num_processes=config.total_size, is_main_process=True,
            distributed_type=client.DistributedType("FSDP")))
    return ask_it


def recomputes(client):
    options = client.dataclasses.MegatronLMPlugin().megatron_lm_default_args
    if options["recompute_granularity"] == "full":
        raise ValueError("recomputes without being asked")


# rule, what it says or None for what it has no setting for, how to ask it, the changes
REFUSED = [
    ("A1", None, None, {**STAGES, **QUIET, "zero": 2}),
    ("A2", None, None, {**STAGES, **QUIET, "data_outside": True}),
    ("A3", "ValueError: Tensor/Context parallelism", mesh(dp_replicate=4, tp=2),
     {**SHARDED, **LOUD, "replica": 4, "tensor": 2}),
    ("A4", "ValueError: FSDP is enabled but the parallelism config has no dimension", mesh(tp=8),
     {**SHARDED, **LOUD, "tensor": 8}),
    ("A5", None, None, {**SHARDED, **LOUD, "experts": 8, "expert": 4}),
    ("A6", None, None, {**SHARDED, **LOUD, "kv_heads": 2, "tensor": 4}),
    ("A7", None, None, {**SHARDED, **LOUD, "tensor": 2, "sequence_parallel": True}),
    ("A8", None, None, {**STAGES, **QUIET, "schedule": "gpipe"}),
    ("A9", None, None, {**STAGES, **QUIET, "split": (1, 3, 3, 1)}),
    ("A10", "ValueError: recomputes without being asked", recomputes, {**STAGES, **QUIET, "recompute": "none"}),
    ("A11", None, None, {**STAGES, **QUIET, "zero": 1, "replica": 2}),
    ("A12", None, None, {**STAGES, **QUIET, "latent": True, "kv_heads": 16}),
    ("A13", None, None, {**SHARDED, **LOUD, "compute": "fp8"}),
    ("A14", None, None, {**SHARDED, **LOUD, "gradients": "bf16"}),
    ("A15", None, None, {**SHARDED, **QUIET, "overlap_parameters": True}),
    ("M44", None, None, {**QUIET, "experts": 8, "tensor": 2, "expert_tensor": 2, "recompute": "full"}),
    ("D4", None, None, {**QUIET, "zero": 1, "heads": 10, "kv_heads": 10, "hidden": 640, "context": 4}),
]


def refusal(client, ask_it, _):
    try:
        if ask_it:
            ask_it(client)
    except ValueError as error:
        return f"ValueError: {error}"
    return None


def run(client, dplc):
    """The number of entries that are not as they should be."""
    entries = [(rule, refusing.layout(index, changes), words, functools.partial(refusal, client, ask_it))
               for index, (rule, words, ask_it, changes) in enumerate(REFUSED)]
    return refusing.run("accelerate@1.15", "Accelerate", entries, dplc)
