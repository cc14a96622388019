"""Layouts that dplc refuses, each by another rule, and what DeepSpeed says of them.

An entry is the rule and the changes to a layout that both take; where the rule says that DeepSpeed has no
counterpart, `None` stands for its words.
"""
import refusing
from agreement import Inexpressible

STAGES = {"nodes": 2, "pipeline": 4, "layers": 8, "batch": 64}
LATER = {"overlap_gradients": False, "overlap_parameters": False}
EXPERTS = {"experts": 8, "expert": 4, "expert_tensor": 1}

REFUSED = [
    ("D1", None, {**STAGES, "data_outside": True}),
    ("D2", None, {**STAGES, "context": 2}),
    ("D3", None, {"tensor": 2, "context": 2}),
    ("D4", "ValueError: Attention head count 10 is not divisible", {"heads": 10, "kv_heads": 10, "hidden": 640,
                                                                   "context": 4}),
    ("D5", "ValueError: KV attention head count 6", {"heads": 24, "kv_heads": 6, "hidden": 1536, "context": 4}),
    ("D6", None, {"kv_heads": 4, "tensor": 8}),
    ("D7", "AssertionError: ZeRO-2 and ZeRO-3 are incompatible with pipeline", {**STAGES, "zero": 2}),
    ("D8", None, {**STAGES, "schedule": "gpipe"}),
    ("D9", None, {**STAGES, "schedule": "interleaved_1f1b", "chunks": 2}),
    ("D10", None, {**STAGES, "split": (1, 3, 3, 1)}),
    ("D11", None, {**STAGES, "prediction_layers": 1}),
    ("D12", None, {"overlap_gradients": True}),
    ("D13", None, {"tensor": 2, "sequence_parallel": True}),
    ("D14", None, {"zero": 3, "reshard": False}),
    ("D15", None, {"replica": 2}),
    ("D16", None, {"compute": "fp8"}),
    ("D17", None, {"compute": "bf16", "parameters": "fp16"}),
    ("D18", None, {"gradients": "fp16"}),
    ("D19", "NotImplementedError: unsupported mix", {"zero": 0}),
    ("D20", None, {"master": "none"}),
    ("D21", "AssertionError: Bf16_master_weights_and_grads is only supported with ZeRO",
     {"zero": 0, "master": "bf16", "gradients": "bf16", "moments": "bf16"}),
    ("D22", "AssertionError: Master weights feature requires ZeRO-1 Offload", {"master": "bf16", "gradients": "bf16"}),
    ("D23", None, {"master": "bf16", "moments": "bf16"}),
    ("D24", None, {"moments": "bf16"}),
    ("D27", "ValueError: expert_parallel.expert_tensor_parallel_size=2", {**EXPERTS, "tensor": 2, "expert_tensor": 2,
                                                                         "sequence_parallel": False}),
    ("D28", "ValueError: AutoEP+AutoTP folding requires", {**EXPERTS, "tensor": 2, "expert": 1}),
    ("D29", "ValueError: AutoEP does not currently support tensor model parallelism", {**EXPERTS, "context": 2}),
    ("D30", None, {**EXPERTS, "capacity": 1.25}),
    ("D31", None, {**STAGES, **EXPERTS, "tensor": 2, "expert_tensor": 1}),
]


def run(judge, dplc):
    """The number of entries that are not as they should be; `judge` is that of drawn.py."""
    def refusal(d):
        try:
            return judge(d)
        except Inexpressible:
            return None

    entries = [(rule, refusing.layout(index, changes, zero=1, **LATER), words, refusal)
               for index, (rule, words, changes) in enumerate(REFUSED)]
    return refusing.run("deepspeed@0.19", "DeepSpeed", entries, dplc)
