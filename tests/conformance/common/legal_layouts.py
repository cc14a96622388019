"""Random layouts that no rule of any target's common core refuses."""
from drawn_layout import Draw


def _divisors(number, most):
    return [n for n in range(1, most + 1) if number % n == 0]


def pieces(random_, total, count, least):
    """`count` layer counts of at least `least` that add up to `total`."""
    spare = total - least * count
    cuts = sorted(random_.randint(0, spare) for _ in range(count - 1))
    return tuple(b - a + least for a, b in zip([0, *cuts], [*cuts, spare]))


def legal(r):
    """A layout that no rule of any target's common core refuses."""
    d = Draw()
    d.nodes = r.choice([1, 1, 2, 2, 3, 4, 6, 8, 16])
    d.heads = r.choice([8, 16, 16, 32, 24])
    d.hidden = d.heads * 64
    d.tensor = r.choice(_divisors(d.heads, min(8, d.world)))
    if d.world % d.tensor:
        d.tensor = 1
    d.pipeline = r.choice([1, *_divisors(d.world // d.tensor, 8)])
    d.context = r.choice([1, 1, 1, *[n for n in (2, 4) if d.world // d.tensor // d.pipeline % n == 0]])
    left = d.world // (d.tensor * d.pipeline * d.context)
    d.latent = r.random() < 0.12
    kv = [n for n in range(1, d.heads + 1) if d.heads % n == 0 and n % d.tensor == 0]
    d.kv_heads = d.heads if d.latent else r.choice(kv)
    d.width = 96 * d.tensor * r.randint(4, 24)
    d.gated = r.random() < 0.8
    d.vocab = r.choice([32_000, 50_257, 30_522, 65_536])
    d.sequence = 64 * d.tensor * d.context * r.randint(4, 12)
    d.tied = r.random() < 0.3
    d.bias = r.random() < 0.15
    d.qk_norm = not d.latent and r.random() < 0.15
    d.norm = r.choice(["rms", "rms", "layer"])
    d.positions = "rotary" if d.latent else r.choice(["rotary", "rotary", "rotary", "learned", "none"])
    if r.random() < 0.4:
        _experts(r, d)
    _schedule(r, d)
    if r.random() < 0.12 and d.positions != "learned":
        d.prediction_layers = 1
    if r.random() < 0.1 and left % 2 == 0 and not d.experts:
        d.replica = 2
    d.data_outside = d.pipeline > 1 and not d.experts and r.random() < 0.12
    d.micro = r.choice([1, 1, 2, 4])
    passes = d.pipeline * r.randint(1, 3) if d.schedule == "interleaved_1f1b" else d.pipeline + r.randint(0, 6)
    d.batch = d.micro * left * passes
    d.sequence_parallel = d.tensor > 1 and (d.experts > 0 or r.random() < 0.6)
    d.zero = 1 if d.replica > 1 else r.choice([0, 0, 1, 1, 1])
    if d.pipeline == 1 and d.replica == 1 and r.random() < 0.25:
        d.zero = r.choice([2, 3])
    d.overlap_gradients = r.random() < 0.6
    d.overlap_parameters = d.overlap_gradients and d.zero > 0 and r.random() < 0.6
    d.overlap_tensor = d.sequence_parallel and r.random() < 0.2
    _recompute(r, d)
    _precision(r, d)
    d.optimizer = r.choice(["adamw", "adamw", "adam"] + (["sgd"] if d.zero == 0 and d.moments == "fp32" else []))
    return d


def _experts(r, d):
    devices = d.stage_devices
    d.expert_tensor = r.choice([n for n in (1, d.tensor) if devices % n == 0])
    d.expert = r.choice(_divisors(devices // d.expert_tensor, 16))
    d.experts = d.expert * r.randint(1, 4)
    if d.experts < 2:
        d.experts = 8
    d.active = min(r.choice([1, 2, 2, 4, 8]), d.experts)
    d.expert_width = 32 * d.expert_tensor * r.randint(4, 16)
    d.shared = r.choice([0, 0, 1, 2])
    if d.shared * d.expert_width % d.tensor:
        d.shared = 0
    if r.random() < 0.15:
        d.capacity = r.choice([1.0, 1.25])
    if d.bias:
        d.expert_tensor, d.shared = 1, 0
        d.expert = r.choice([n for n in _divisors(devices, 16) if d.experts % n == 0])


def _schedule(r, d):
    if d.pipeline > 2 and r.random() < 0.4:
        d.schedule, d.chunks = "interleaved_1f1b", r.choice([2, 2, 3, 4])
        d.overlap_pipeline = r.random() < 0.7
    stages = d.pipeline * d.chunks
    d.layers = stages * r.randint(1, max(1, 24 // stages))
    if stages > 1:
        kind = r.random()
        if kind < 0.25:
            d.layers += r.randint(0, stages)
            d.split = pieces(r, d.layers, stages, 1)
        elif kind < 0.4:
            d.embedding_slots, d.head_slots = r.choice([(1, 0), (0, 1), (1, 1)])
            d.layers += stages - d.embedding_slots - d.head_slots
    if d.experts and r.random() < 0.4:
        d.dense_layers = r.randint(1, max(1, d.layers - 1)) if d.layers > 1 else 0


def _recompute(r, d):
    d.recompute = r.choice(["none", "none", "full", "selective", "selective"])
    if d.recompute == "full":
        d.recompute_method = r.choice(["uniform", "block"])
        if d.recompute_method == "block":
            d.recompute_layers = r.randint(1, max(1, d.layers // (d.pipeline * d.chunks)))
    elif d.recompute == "selective":
        fit = ["core_attention", "norm"] + (["mlp"] if d.dense_layers or not d.experts else [])
        fit += ["moe", "activation"] if d.experts else []
        fit += ["shared_experts"] if d.experts and d.shared else []
        fit += ["mla_up"] if d.latent else []
        d.modules = tuple(r.sample(fit, r.randint(1, min(3, len(fit)))))


def _precision(r, d):
    kind = r.choice(["bf16"] * 5 + ["fp16", "fp32", "fp8", "fp8"])
    if kind == "fp8" and (d.hidden % 128 or d.micro * d.sequence % (8 * d.tensor * d.context)):
        kind = "bf16"
    d.compute = kind
    if kind in ("fp16", "fp32"):
        d.parameters = kind
    if kind == "fp32":
        d.master = "none"
    elif kind == "bf16" and r.random() < 0.25:
        d.gradients = d.reduce = "bf16"
    if d.zero > 0 and kind in ("bf16", "fp8") and r.random() < 0.2:
        d.moments = "bf16"
