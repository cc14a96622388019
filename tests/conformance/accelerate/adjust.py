"""Random layouts brought near to what Accelerate knows."""
import random

# What is put back where a layout may be illegal.
KEPT = ("schedule", "zero", "replica", "tensor", "context", "pipeline", "split", "sequence_parallel", "recompute", "compute",
        "parameters", "gradients", "reduce", "master", "moments", "latent", "prediction_layers", "overlap_gradients",
        "overlap_parameters", "overlap_tensor", "overlap_experts", "expert", "experts", "batch", "data_outside")


def adjust(d):
    """Chooses a plug-in and what it needs; each step leaves some layouts as they are."""
    r = random.Random(f"accelerate/{d.index}")

    def mostly(share=0.95):
        return r.random() < share

    if d.schedule != "1f1b" and mostly():
        d.schedule, d.chunks, d.overlap_pipeline = "1f1b", 1, True
    if d.pipeline > 1 and r.random() < 0.6:
        d.pipeline = 1
    if mostly():
        d.split, d.embedding_slots, d.head_slots, d.data_outside = (), 0, 0, False
    d.layers = d.pipeline * max(1, d.layers // d.pipeline)
    d.dense_layers = min(d.dense_layers, d.layers - 1)
    if d.pipeline > 1 and d.layers > d.pipeline and r.random() < 0.3:  # another last stage
        d.split = (d.layers // d.pipeline,) * (d.pipeline - 1) + (d.layers // d.pipeline - 1,)
        d.layers = sum(d.split)
        d.dense_layers = min(d.dense_layers, d.layers - 1)
    d.compute = d.parameters = r.choice(["bf16", "bf16", "fp16"]) if mostly() else d.compute
    d.master, d.moments, d.gradients, d.reduce = "fp32", "fp32", "fp32", "fp32"
    d.overlap_tensor = d.overlap_experts = False
    megatron = d.pipeline > 1 or d.experts
    if megatron:
        if d.pipeline == 1 and d.tensor == 1:
            d.experts = d.dense_layers = d.shared = 0
            megatron = False
    if megatron:
        d.zero, d.recompute, d.modules = min(d.zero, 1), "full", ()
        d.overlap_gradients = d.overlap_parameters = d.overlap_pipeline = False
        d.gradients = d.reduce = "fp16" if d.compute == "fp16" else "fp32"
        d.latent, d.prediction_layers = False, 0
        d.replica = 1 if d.zero else d.replica
    else:
        d.zero = r.choice([0, 1, 2, 3, 3, 3])
        d.sequence_parallel = False
        _flat(d, r)
    if d.data and mostly():
        d.batch = d.micro * d.data * d.replica * (d.pipeline + r.randint(0, 4))


def _flat(d, r):
    """Without stages: DistributedDataParallel, DeepSpeed or FSDP2."""
    d.overlap_gradients = d.overlap_parameters = d.zero in (0, 3)
    if d.zero == 3:
        d.reduce, d.reshard = d.compute, r.random() < 0.7
        d.latent = d.latent and d.tensor == 1
        return
    d.tensor = 1
    if d.zero == 0:
        d.context, d.parameters, d.master = 1, "fp32", "none"
    else:
        d.overlap_gradients = d.overlap_parameters = False
        d.replica = 1


def near(d):
    """Most layouts as `adjust` makes them, with the drawn changes of numbers, overlap and axes put back in some."""
    r = random.Random(f"accelerate/near/{d.index}")
    drawn = {name: getattr(d, name) for name in KEPT}
    adjust(d)
    for name, value in drawn.items():
        if r.random() < 0.04:
            setattr(d, name, value)
