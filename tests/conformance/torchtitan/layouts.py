"""Random layouts of torchtitan's flavors, legal and illegal mixed, near the edges of its rules.

The models are its debug flavors, so that a Trainer is built in a fraction of a second; `draws` gives the same
layouts for the same seed. `Layout.dpl` is the text for dplc; arguments.py goes to torchtitan without dplc.
"""
import dataclasses
import random

import draw as drawing
from legal_layouts import pieces

# name, flavor: layers, the text of the model
FLAVORS = {
    ("llama3", "debugmodel"): (6, "layers = 6, hidden = 256, heads = 16, ffn = gated { width = 768 }"),
    ("qwen3", "debugmodel"): (8, "layers = 8, hidden = 256, heads = 16, kv_heads = 8, head_dim = 128\n"
                                 "  ffn = gated { width = 3072 }, tied_embeddings = true, qk_norm = head"),
    ("qwen3", "debugmodel_moe"): (8, "layers = 8, hidden = 256, heads = 16, kv_heads = 8, head_dim = 128\n"
                                     "  ffn = experts { count = 64, top_k = 8, width = 768 }, qk_norm = head"),
    ("deepseek_v3", "debugmodel"): (6, "layers = 6, hidden = 256, heads = 16\n"
        "  attention = mla { kv_lora_rank = 512, qk_nope_head_dim = 128, qk_rope_head_dim = 64, v_head_dim = 128 }\n"
        "  layer[0..<1] { ffn = gated { width = 1024 } }\n"
        "  layer[1..<6] { ffn = experts { count = 8, top_k = 3, shared = 2, width = 256 } }"),
}
# Those that are not drawn.
OTHERS = {("gpt_oss", "debugmodel"): (4, "layers = 4, hidden = 256, heads = 64, kv_heads = 8, head_dim = 64, bias = true\n"
    "  attention = grouped { sinks = true }\n"
    "  for i in 0..<layers {\n    if i % 2 == 0 {\n      layer[i] { attention = grouped { sinks = true, window = 128tok } }\n    }\n  }\n"
    "  ffn = experts { count = 8, top_k = 4, width = 2880, activation = quick_gelu, offset = 1.0, clamp = 7.0 }"),
    ("deepseek_v3", "16B"): (27, "layers = 27, hidden = 2048, heads = 16\n"
    "  attention = mla { kv_lora_rank = 512, qk_nope_head_dim = 128, qk_rope_head_dim = 64, v_head_dim = 128 }\n"
    "  layer[0..<1] { ffn = gated { width = 10944 } }\n"
    "  layer[1..<27] { ffn = experts { count = 64, top_k = 6, shared = 2, width = 1408 } }")}
OPERATORS = ("norm", "activation", "every_other_matmul")  # its own policy by operator
EXPERTS = {"debugmodel_moe": 64, ("deepseek_v3", "debugmodel"): 8}


@dataclasses.dataclass
class Layout(drawing.Draw):
    name: str = "llama3"
    flavor: str = "debugmodel"
    wide: int = 0  # another width than the flavor's: no flavor at all
    graphs: bool = False

    def _model(self):
        vocab = 102400 if self.flavor == "16B" else 2048
        text = (FLAVORS | OTHERS)[self.name, self.flavor][1] + f"\n  vocab = {vocab}, context = {self.sequence}tok"
        if self.wide:
            text = text.replace("hidden = 256", f"hidden = {self.wide}")
        return text + (f"\n  mtp_layers = {self.prediction_layers}" if self.prediction_layers else "")

    def _layout(self):
        return super()._layout() + ("\n  cuda_graphs = true" if self.graphs else "")


def legal(r, old):
    """A layout that no rule of the release refuses."""
    d = Layout()
    d.name, d.flavor = r.choice(list(FLAVORS))
    d.layers = FLAVORS[d.name, d.flavor][0]
    d.experts = EXPERTS.get(d.flavor, EXPERTS.get((d.name, d.flavor), 0))
    d.nodes = r.choice([1, 1, 2, 4])
    d.tensor = r.choice([1, 1, 2, 4, 8])
    piped = d.name in ("llama3", "deepseek_v3") or (not old and d.flavor == "debugmodel_moe")
    left = d.world // d.tensor
    d.pipeline = r.choice([1, *[n for n in (2, 4) if left % (2 * n) == 0 and piped]])
    left //= d.pipeline
    d.context = r.choice([1, 1, *[n for n in (2, 4) if left % n == 0]])
    left //= d.context
    d.replica = 2 if left % 4 == 0 and r.random() < 0.3 else 1
    d.sequence = d.tensor * 2 * d.context * r.choice([16, 24, 32])
    d.sequence_parallel = d.tensor > 1 and (old or r.random() < 0.7)
    d.zero = 3
    d.reshard = r.random() < 0.6
    if d.pipeline > 1 and r.random() < 0.5 and d.pipeline == 2:
        d.schedule, d.chunks = "interleaved_1f1b", r.choice([2, 3])
    elif d.pipeline > 1 and r.random() < 0.2:
        d.schedule = "gpipe"
    stages = d.pipeline * d.chunks
    if stages > 1:
        d.split = pieces(r, d.layers, stages, 1)
    d.micro = r.choice([1, 1, 2])
    d.batch = d.micro * d.data * d.replica * d.pipeline * r.randint(1, 3)
    if d.experts:
        stage = d.data * d.context * d.tensor
        d.expert = r.choice([n for n in (1, 2, 4, 8) if stage % n == 0 and d.data * d.context > 1] or [1])
        d.expert_tensor = d.tensor if d.expert == 1 else 1
        if old and d.expert > 1 and stage % (d.expert * d.tensor) == 0 and r.random() < 0.3:
            d.expert_tensor = d.tensor
    if d.data * d.context == 1 and d.tensor * d.pipeline > 1:
        d.compute = d.parameters = "fp32"
        d.master = "none"
    d.recompute = r.choice(["none", "full"])
    d.optimizer = r.choice(["adamw", "adam"])
    return d


def backwards_in_two():
    """The schedules whose backward passes come in two parts, with what torchtitan has not for all of them:
    recomputation and exchanges of experts beside computation, and asynchronous tensor parallelism."""
    piped = dict(layers=6, pipeline=2, split=(2, 1, 2, 1), chunks=2, zero=3, sequence=512, batch=32)
    routed = dict(piped, name="deepseek_v3", experts=8, expert=4)
    schedules, out = ("interleaved_zb", "zb_v", "dualpipe_v"), []
    for recompute in ("none", "full"):
        out += [Layout(**routed, recompute=recompute, schedule=schedule) for schedule in schedules]
        out.append(Layout(**routed, recompute=recompute, schedule="dualpipe_v", overlap_experts=True))
    out.append(Layout(**routed, schedule="zb_v", overlap_experts=True))
    tensor = dict(piped, tensor=2, sequence_parallel=True, overlap_tensor=True)
    out += [Layout(**tensor, schedule=schedule) for schedule in (*schedules, "interleaved_1f1b")]
    for index, d in enumerate(out):
        d.index, d.changes = index, (d.schedule,)
    return out


def _degree(name, sizes):
    def change(r, d):
        setattr(d, name, r.choice(sizes))
    return change


def _set(name, *values):
    def change(r, d):
        setattr(d, name, r.choice(values))
    return change


def _batch(r, d):
    d.batch = max(1, d.batch + r.choice([-1, 1, d.micro, -d.micro, d.data]))


def _few(r, d):
    d.batch = max(1, d.micro * d.data * d.replica * r.randint(1, max(1, d.pipeline)))


def _interleave(r, d):
    d.schedule, d.chunks, d.split = "interleaved_1f1b", r.choice([2, 3]), ()
    if r.random() < 0.7 and d.layers >= d.pipeline * d.chunks:
        d.split = pieces(r, d.layers, d.pipeline * d.chunks, 1)


def _empty(r, d):
    stages = d.pipeline * d.chunks
    if stages > 1:
        d.split = pieces(r, d.layers, stages, 0)


def _full_bf16(r, d):
    d.compute, d.parameters, d.gradients, d.master, d.moments = "bf16", "bf16", "bf16", "none", "bf16"
    d.reduce = r.choice(["fp32", "bf16"])


def _plain_fp32(r, d):
    d.compute, d.parameters, d.gradients, d.master, d.moments, d.reduce = "fp32", "fp32", "fp32", "none", "fp32", "fp32"


CHANGES = {
    "tensor": _degree("tensor", [2, 3, 4, 8, 16, 32]), "pipeline": _degree("pipeline", [2, 3, 4, 8]),
    "context": _degree("context", [2, 3, 4, 8]), "nodes": _degree("nodes", [1, 2, 3]),
    "replica": _degree("replica", [1, 2, 3, 4]), "sequence": _degree("sequence", [33, 50, 96, 100, 20480, 1000]),
    "expert": _degree("expert", [2, 3, 4, 8, 16]), "expert_tensor": _degree("expert_tensor", [1, 2, 3, 4]),
    "batch": _batch, "few": _few, "interleave": _interleave, "empty": _empty, "zero": _set("zero", 0, 0, 1, 2),
    "micro": _set("micro", 1, 2, 3), "gpipe": _set("schedule", "gpipe", "1f1b"), "graphs": _set("graphs", True),
    "full_bf16": _full_bf16, "fp32": _plain_fp32, "wide": _set("wide", 512),
    "sequence_parallel": _set("sequence_parallel", False), "recompute": _set("recompute", "full", "selective", "operators"),
    "moments": _set("moments", "bf16"), "overlap": _set("overlap_gradients", True, False),
}


def draws(count, seed, release):
    """`count` layouts, the same for the same seed and release."""
    out, old = [], release.startswith("0.2")
    for index in range(count):
        r = random.Random(f"{seed}/{index}/{release}")
        d = legal(r, old)
        chosen = r.sample(sorted(CHANGES), r.choice([0, 0, 1, 1, 1, 2]))
        for name in chosen:
            CHANGES[name](r, d)
        if d.schedule != "interleaved_1f1b":
            d.chunks = 1
        if d.recompute == "selective":
            d.modules = ("core_attention",)
        elif d.recompute == "operators":
            d.recompute, d.modules = "selective", OPERATORS
        d.index, d.changes = index, tuple(chosen)
        out.append(d)
    return out
