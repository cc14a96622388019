"""Random layouts as plain numbers, legal and illegal mixed, near the edges of the rules.

`draws(count, seed)` gives the same layouts for the same seed. Each begins as a layout that every rule allows
and is then changed in none, one, or several places that rules look at. `Draw.dpl()` is its text for dplc; each
target has its own function from a `Draw` to the framework's arguments, which never goes through dplc, so that
illegal ones can be judged too and agreement means something. The models are small: memory never decides.
"""
import dataclasses
import random


@dataclasses.dataclass
class Draw:
    """One layout. Counts unless a comment says otherwise; the data axis is what the others leave."""
    index: int = 0
    # -- cluster
    nodes: int = 1
    gpus: int = 8  # of a node; always 8: clusters.dgx_h100
    # -- model
    layers: int = 8
    hidden: int = 1024
    heads: int = 16
    kv_heads: int = 16
    width: int = 2816  # of the dense feed-forward part
    gated: bool = True
    vocab: int = 32_000
    sequence: int = 2048  # tokens
    tied: bool = False
    bias: bool = False
    qk_norm: bool = False
    norm: str = "rms"  # rms, layer
    positions: str = "rotary"  # rotary, learned, none
    latent: bool = False  # multi-head latent attention: ranks 512 and 256, heads of 64 + 32 and 64
    prediction_layers: int = 0
    # -- experts; 0 experts is a dense model
    experts: int = 0
    active: int = 2
    shared: int = 0
    expert_width: int = 1024
    dense_layers: int = 0  # the first layers that are dense in a model with experts
    capacity: float = 0.0  # 0: dropless
    # -- mesh, outermost first: pipeline, replica, data, context, tensor
    tensor: int = 1
    context: int = 1
    pipeline: int = 1
    replica: int = 1
    data_outside: bool = False  # replica, data, pipeline, context, tensor
    expert: int = 1
    expert_tensor: int = 1
    # -- batch and schedule
    batch: int = 8  # sequences a step
    micro: int = 1
    schedule: str = "1f1b"  # 1f1b, interleaved_1f1b, gpipe
    chunks: int = 1  # a pipeline rank; more than 1 only with interleaved_1f1b
    split: tuple = ()  # layers by chunk in model order; empty: even
    embedding_slots: int = 0
    head_slots: int = 0
    # -- activations and state
    recompute: str = "none"  # none, full, selective
    recompute_method: str = "uniform"  # uniform, block
    recompute_layers: int = 1
    modules: tuple = ()  # of selective: core_attention, mlp, norm, activation, moe, shared_experts, mla_up
    zero: int = 0  # 1: optimizer, 2: gradients too, 3: parameters too; over data
    reshard: bool = True  # parameters are freed after the forward pass (of zero 3)
    sequence_parallel: bool = False
    # -- overlap
    overlap_gradients: bool = True
    overlap_parameters: bool = True
    overlap_pipeline: bool = True  # written only where it is false
    overlap_tensor: bool = False
    overlap_experts: bool = False
    # -- numbers
    compute: str = "bf16"  # fp32, tf32, fp16, bf16, fp8, mxfp8
    parameters: str = "bf16"
    gradients: str = "fp32"
    reduce: str = "fp32"
    master: str = "fp32"  # none for fp32 parameters
    moments: str = "fp32"
    optimizer: str = "adamw"  # adamw, adam, sgd
    changes: tuple = ()  # what was changed from a legal layout; for reports

    @property
    def world(self):
        return self.nodes * self.gpus

    @property
    def inner(self):
        """Devices of one data rank."""
        return self.tensor * self.context * self.pipeline * self.replica

    @property
    def data(self):
        """Size of the data axis, replicas not counted; 0 where the other axes do not divide the devices."""
        return self.world // self.inner if self.world % self.inner == 0 else 0

    @property
    def stage_devices(self):
        return self.world // self.pipeline

    def routed(self, layer):
        """Whether this layer has experts."""
        return self.experts > 0 and layer >= self.dense_layers

    def _model(self):
        fields = [f"layers = {self.layers}", f"hidden = {self.hidden}", f"heads = {self.heads}",
                  f"vocab = {self.vocab}", f"context = {self.sequence}tok", f"norm = {self.norm}",
                  f"positions = {self.positions}"]
        if self.latent:
            fields.append("attention = mla { query_rank = 512, kv_rank = 256, nope = 64, rope = 32, value = 64 }")
        else:
            fields.append(f"kv_heads = {self.kv_heads}")
        for name, value in (("tied_embeddings", self.tied), ("bias", self.bias), ("qk_norm", self.qk_norm)):
            if value:
                fields.append(f"{name} = true")
        if self.prediction_layers:
            fields.append(f"prediction_layers = {self.prediction_layers}")
        dense = f"ffn = {'gated' if self.gated else 'plain'} {{ width = {self.width} }}"
        if not self.experts:
            fields.append(dense)
        else:
            capacity = f", capacity = {self.capacity}" if self.capacity else ""
            shared = f", shared = {self.shared}" if self.shared else ""
            routed = (f"ffn = experts {{ count = {self.experts}, active = {self.active}{shared}, "
                      f"width = {self.expert_width}, gated = {str(self.gated).lower()}{capacity} }}")
            if self.dense_layers:
                fields.append(f"layer[0..<{self.dense_layers}] {{ {dense} }}")
                fields.append(f"layer[{self.dense_layers}..<{self.layers}] {{ {routed} }}")
            else:
                fields.append(routed)
        return "\n  ".join(fields)

    def _mesh(self):
        data, pipeline = [("replica", self.replica), ("data", "rest")], [("pipeline", self.pipeline)]
        axes = [*data, *pipeline] if self.data_outside else [*pipeline, *data]
        axes += [("context", self.context), ("tensor", self.tensor)]
        text = ", ".join(f"{name} = {size}" for name, size in axes if size != 1)
        if self.experts:
            text += f", experts {{ data = rest, expert = {self.expert}, tensor = {self.expert_tensor} }}"
        return text

    def _layout(self):
        lines = [f"mesh {{ {self._mesh()} }}", f"batch = {self.batch}seq", f"micro_batch = {self.micro}seq"]
        chunks = f" {{ chunks = {self.chunks} }}" if self.schedule == "interleaved_1f1b" else ""
        lines.append(f"schedule = {self.schedule}{chunks}")
        if self.split:
            lines.append(f"split = [{', '.join(map(str, self.split))}]")
        for name in ("embedding_slots", "head_slots"):
            if getattr(self, name):
                lines.append(f"{name} = {getattr(self, name)}")
        if self.recompute == "full":
            lines.append(f"recompute = full {{ method = {self.recompute_method}, layers = {self.recompute_layers} }}")
        elif self.recompute == "selective":
            lines.append(f"recompute = selective {{ modules = [{', '.join(self.modules)}] }}")
        shard = [f"{name} = data" for name, stage in (("optimizer", 1), ("gradients", 2), ("parameters", 3))
                 if self.zero >= stage]
        if self.sequence_parallel:
            shard.append("sequence = tensor")
        if not self.reshard:
            shard.append("reshard = false")
        if shard:
            lines.append(f"shard {{ {', '.join(shard)} }}")
        overlap = [f"gradients = {str(self.overlap_gradients).lower()}",
                   f"parameters = {str(self.overlap_parameters).lower()}"]
        if not self.overlap_pipeline:
            overlap.append("pipeline = false")
        for name in ("tensor", "experts"):
            if getattr(self, "overlap_" + name):
                overlap.append(f"{name} = true")
        lines.append(f"overlap {{ {', '.join(overlap)} }}")
        names = ("compute", "parameters", "gradients", "reduce", "master", "moments")
        lines.append("precision { " + ", ".join(f"{n} = {getattr(self, n)}" for n in names) + " }")
        lines.append(f"optimizer = {self.optimizer}")
        return "\n  ".join(lines)

    def dpl(self):
        """The layout as a .dpl file."""
        return (f"// Draw {self.index}: {', '.join(self.changes) or 'nothing changed'}.\n"
                "import std.models\nimport std.clusters\n\n"
                f"model drawn from models.decoder {{\n  {self._model()}\n}}\n\n"
                f"cluster pod from clusters.dgx_h100 {{ nodes = {self.nodes} }}\n\n"
                f"layout drawn_layout for drawn on pod {{\n  {self._layout()}\n}}\n")


def _divisors(number, most):
    return [n for n in range(1, most + 1) if number % n == 0]


def _pieces(random_, total, count, least):
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
            d.split = _pieces(r, d.layers, stages, 1)
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


# ---- changes -----------------------------------------------------------------------------------
# Each changes one thing that a rule looks at. Many leave the layout legal: the edge is what is looked for.

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
        d.split = _pieces(r, d.layers, stages, 0)
    elif kind == "first":
        d.split = (0, *_pieces(r, d.layers, stages - 1, 1)) if d.layers >= stages - 1 else ()
    else:
        split = list(_pieces(r, d.layers, stages, 1)) if d.layers >= stages else [1] * stages
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


def draw(r, index, only=None):
    """One layout; `only` restricts the changes to these names."""
    d = legal(r)
    d.index = index
    names = sorted(only or CHANGES)
    chosen = r.sample(names, min(len(names), r.choice([0, 1, 1, 1, 2, 2, 3])))
    for name in chosen:
        CHANGES[name](r, d)
    d.hidden = d.heads * (d.hidden // d.heads)  # head_dim is whole: it is hidden / heads
    d.dense_layers = min(d.dense_layers, d.layers - 1)  # a model with experts has a layer with experts
    d.changes = tuple(chosen)
    return d


def draws(count, seed, only=None):
    """`count` layouts, the same for the same seed; one more draw leaves those before it as they are."""
    return [draw(random.Random(f"{seed}/{index}"), index, only) for index in range(count)]
