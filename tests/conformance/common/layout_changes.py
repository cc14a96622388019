"""Changes to a legal layout, each of one thing that a rule looks at.

Many leave the layout legal: the edge is what is looked for.
"""
from legal_layouts import pieces


def _set(**values):
    def change(r, d):
        for name, value in values.items():
            setattr(d, name, value(r, d) if callable(value) else value)
    return change


def _near(number, r):
    return max(1, number + r.choice([-2, -1, 1, 2]))


def _batch_off(r, d):
    d.batch = max(1, d.batch + r.choice([-1, 1, d.micro, -d.micro, 2]))


def _split_off(r, d):
    """A split that places other layers than there are, has another length, or an empty stage."""
    stages = d.pipeline * d.chunks
    if stages < 2:
        return _set(layers=_near(d.layers, r))(r, d)
    d.embedding_slots = d.head_slots = 0
    kind = r.choice(["empty", "sum", "length", "first"])
    if kind == "empty":
        d.split = pieces(r, d.layers, stages, 0)
    elif kind == "first":
        d.split = (0, *pieces(r, d.layers, stages - 1, 1)) if d.layers >= stages - 1 else ()
    else:
        split = list(pieces(r, d.layers, stages, 1)) if d.layers >= stages else [1] * stages
        if kind == "sum":
            split[r.randrange(stages)] += 1
        else:
            split.append(1)
        d.split = tuple(split)
    return None


def _expert_sizes(r, d):
    if not d.experts:
        d.experts, d.dense_layers = 8, 0
    field = r.choice(["experts", "expert", "expert_tensor", "active"])
    setattr(d, field, {"experts": lambda: _near(d.experts, r), "expert": lambda: r.choice([2, 3, 4, 6, 16, 32]),
                       "expert_tensor": lambda: r.choice([1, 2, 3, 4, 8]),
                       "active": lambda: r.choice([1, 1, d.experts, d.experts + 1])}[field]())


def _interleave(r, d):
    d.schedule, d.chunks = "interleaved_1f1b", r.choice([2, 3, 4, 5])
    d.overlap_pipeline = r.random() < 0.6
    if r.random() < 0.6:
        d.split = ()
    if r.random() < 0.5 and not d.split:
        d.layers = d.pipeline * d.chunks * r.randint(1, 2)


def _chunks_off(r, d):
    if d.pipeline < 2:
        d.pipeline = r.choice([2, 3, 4])
    d.schedule, d.chunks, d.split = "interleaved_1f1b", r.choice([2, 3, 4]), ()
    d.layers = d.pipeline * r.randint(1, 9)


def _modules_off(r, d):
    d.recompute = "selective"
    d.modules = (r.choice(["core_attention", "mlp", "norm", "activation", "moe", "shared_experts", "mla_up",
                           "attention"]),)


def _precision_off(r, d):
    field = r.choice(["compute", "gradients", "reduce", "master", "moments"])
    setattr(d, field, r.choice({
        "compute": ["fp32", "fp16", "bf16", "fp8", "mxfp8"], "gradients": ["fp32", "bf16", "fp16"],
        "reduce": ["fp32", "bf16"], "master": ["fp32", "fp16", "none"],
        "moments": ["fp32", "bf16", "fp16", "fp8"]}[field]))


def _narrow(r, d):
    d.compute, d.parameters = "fp8", r.choice(["bf16", "bf16", "fp8"])
    d.master = "fp32"
    if r.random() < 0.5:
        d.width = d.tensor * r.choice([8, 24, 40, 264, 1000])
    elif r.random() < 0.5:
        d.sequence = d.tensor * d.context * 2 * r.choice([1, 2, 3, 50, 99])


CHANGES = {
    "tensor": _set(tensor=lambda r, d: r.choice([1, 2, 3, 4, 5, 6, 8, 16])),
    "pipeline": _set(pipeline=lambda r, d: r.choice([1, 2, 3, 4, 5, 6, 8])),
    "context": _set(context=lambda r, d: r.choice([1, 2, 3, 4, 5, 8])),
    "nodes": _set(nodes=lambda r, d: r.choice([1, 2, 3, 5, 7])),
    "replica": _set(replica=lambda r, d: r.choice([2, 3, 4])),
    "heads": _set(heads=lambda r, d: r.choice([4, 6, 10, 12, 20])),
    "kv_heads": _set(kv_heads=lambda r, d: r.choice([1, 2, 3, 4, 5, 6, 8])),
    "width": _set(width=lambda r, d: r.choice([1001, 1022, 1366, 2730, 2820])),
    "expert_width": _set(expert_width=lambda r, d: r.choice([257, 258, 516, 1000])),
    "sequence": _set(sequence=lambda r, d: r.choice([1000, 1001, 1022, 2044, 2052, 1536, 514])),
    "layers": _set(layers=lambda r, d: _near(d.layers, r)),
    "split": _split_off,
    "slots": _set(embedding_slots=lambda r, d: r.choice([0, 1, 2]), head_slots=lambda r, d: r.choice([0, 1])),
    "interleave": _interleave,
    "chunks": _chunks_off,
    "overlap_pipeline": _set(overlap_pipeline=lambda r, d: not d.overlap_pipeline),
    "gpipe": _set(schedule="gpipe", chunks=1),
    "batch": _batch_off,
    "micro": _set(micro=lambda r, d: r.choice([1, 2, 3, 4, 5])),
    "small_batch": _set(batch=lambda r, d: max(1, d.data * d.replica * d.micro * r.randint(1, d.pipeline + 1))),
    "experts": _expert_sizes,
    "expert_bias": _set(bias=True),
    "data_outside": _set(data_outside=lambda r, d: not d.data_outside),
    "sequence_parallel": _set(sequence_parallel=lambda r, d: not d.sequence_parallel and d.tensor > 1),
    "zero": _set(zero=lambda r, d: r.choice([0, 1, 2, 3])),
    "overlap_parameters": _set(overlap_parameters=True),
    "no_overlap_gradients": _set(overlap_gradients=False),
    "overlap_tensor": _set(overlap_tensor=True),
    "overlap_experts": _set(overlap_experts=True),
    "modules": _modules_off,
    "precision": _precision_off,
    "narrow": _narrow,
    "optimizer": _set(optimizer=lambda r, d: r.choice(["sgd", "adam"])),
    "prediction": _set(prediction_layers=lambda r, d: r.choice([1, 2])),
    "positions": _set(positions=lambda r, d: r.choice(["learned", "none"])),
    "full": _set(recompute="full"),
    "latent": _set(latent=True, positions="rotary", qk_norm=False, kv_heads=lambda r, d: d.heads),
}
