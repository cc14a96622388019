"""Random layouts brought near to what the PyTorch module knows."""
import random


def adjust(d):
    """Keeps the changes that it has a word for: axes, stages, schedules, heads, experts and batches."""
    r = random.Random(f"pytorch/{d.index}")
    d.compute = d.parameters = "bf16"
    d.gradients, d.reduce, d.master, d.moments, d.optimizer = "fp32", "fp32", "fp32", "fp32", "adamw"
    d.zero = min(d.zero, 1)
    d.overlap_gradients = d.overlap_parameters = d.overlap_tensor = d.overlap_experts = False
    if d.recompute == "selective":
        d.recompute, d.modules = "none", ()
    if d.data and r.random() < 0.8:
        d.batch = d.micro * d.data * d.replica * d.pipeline * r.randint(1, 3)
