"""Changes to a drawn layout that only Megatron-LM's translation knows: attention, what it asks of the rest, groups."""


def _context(r, d):
    """Half of them over a sequence that is cut."""
    if r.random() < 0.5:
        d.context = r.choice([2, 2, 4])


def _window(r, d):
    d.latent, d.window = False, r.choice([1, 64, 1000, d.sequence])
    _context(r, d)


def _unfused(r, d):
    d.fused_attention = False
    _context(r, d)


def _fp32(r, d):
    d.compute = d.parameters = d.gradients = d.reduce = d.moments = "fp32"
    d.master = "none"
    _context(r, d)


def _head_size(r, d):
    d.latent, d.head_dim = False, r.choice([7, 18, 20, 40, 65, 72, 96])
    d.positions = r.choice(["rotary", "rotary", "none"])
    _context(r, d)


def _narrow_heads(r, d):
    d.compute, d.parameters, d.master = "fp8", "bf16", "fp32"
    d.latent, d.head_dim = False, r.choice([18, 20, 24, 40])


def _latent_sizes(r, d):
    d.latent, d.positions, d.qk_norm, d.kv_heads = True, "rotary", False, d.heads
    d.kv_rank, d.rope = r.choice([(100, 32), (104, 32), (256, 33), (256, 20), (128, 64)])
    if r.random() < 0.5:
        d.compute, d.parameters, d.master = "fp8", "bf16", "fp32"


def _recomputed_prediction(r, d):
    d.prediction_layers, d.recompute = 1, "full"
    d.recompute_method, d.recompute_layers = r.choice(["uniform", "uniform", "block"]), r.choice([1, 2, 3])
    d.positions = "none" if d.positions == "learned" else d.positions


def _group(r, d):
    """Turns of other lengths than there are stages, some too short, some with a last one too short."""
    d.pipeline = max(d.pipeline, 2)
    d.schedule, d.chunks, d.split, d.prediction_layers = "interleaved_1f1b", r.choice([2, 3]), (), 0
    d.embedding_slots = d.head_slots = 0
    d.layers = d.pipeline * d.chunks * r.randint(1, 2)
    passes = d.pipeline + r.randint(0, 9)
    d.group = d.pipeline + r.randint(-1, passes - d.pipeline + 1)
    if d.data:
        d.batch = d.micro * d.data * d.replica * passes


CHANGES = {
    "group": _group,
    "window": _window,
    "unfused": _unfused,
    "fp32_attention": _fp32,
    "head_size": _head_size,
    "narrow_heads": _narrow_heads,
    "latent_sizes": _latent_sizes,
    "recomputed_prediction": _recomputed_prediction,
}
