"""A layout as plain numbers, and its text for dplc."""
import dataclasses


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
    latent: bool = False  # multi-head latent attention: query rank 512, heads of 64 + `rope` and 64
    kv_rank: int = 256  # of latent attention, as is `rope`
    rope: int = 32
    head_dim: int = 0  # 0: hidden / heads; only without latent attention, as is `window`
    window: int = 0  # tokens; 0: the whole sequence
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
    schedule: str = "1f1b"  # 1f1b, interleaved_1f1b, gpipe; of some targets others
    chunks: int = 1  # a pipeline rank; more than 1 only with interleaved_1f1b, interleaved_zb, and 2 of V-shaped schedules
    group: int = 0  # micro-batches of a turn, with interleaved_1f1b; 0: as many as stages
    split: tuple = ()  # layers by chunk in model order; empty: even
    embedding_slots: int = 0
    head_slots: int = 0
    # -- activations and state
    recompute: str = "none"  # none, full, selective
    recompute_method: str = "uniform"  # uniform, block
    recompute_layers: int = 1
    fused_attention: bool = True  # written only where it is false
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
            fields.append(f"attention = mla {{ q_lora_rank = 512, kv_lora_rank = {self.kv_rank}, qk_nope_head_dim = 64, "
                          f"qk_rope_head_dim = {self.rope}, v_head_dim = 64 }}")
        else:
            fields.append(f"kv_heads = {self.kv_heads}")
            if self.head_dim:
                fields.append(f"head_dim = {self.head_dim}")
            if self.window:
                fields.append(f"attention = grouped {{ window = {self.window}tok }}")
        for name, value in (("tied_embeddings", self.tied), ("bias", self.bias)):
            if value:
                fields.append(f"{name} = true")
        if self.qk_norm:
            fields.append("qk_norm = head")
        if self.prediction_layers:
            fields.append(f"mtp_layers = {self.prediction_layers}")
        dense = f"ffn = {'gated' if self.gated else 'plain'} {{ width = {self.width} }}"
        if not self.experts:
            fields.append(dense)
        else:
            capacity = f", capacity_factor = {self.capacity}" if self.capacity else ""
            shared = f", shared = {self.shared}" if self.shared else ""
            routed = (f"ffn = experts {{ count = {self.experts}, top_k = {self.active}{shared}, "
                      f"width = {self.expert_width}, gated = {str(self.gated).lower()}{capacity}, "
                      "router { balance = aux_loss { coefficient = 0.01 } } }")
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
        group = f", micro_batch_group = {self.group}" if self.group else ""
        chunks = f" {{ chunks = {self.chunks}{group} }}" if self.schedule.startswith("interleaved") else ""
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
        if not self.fused_attention:
            lines.append("fused_attention = false")
        shard = [f"{name} = data" for name, stage in (("optimizer", 1), ("gradients", 2), ("parameters", 3))
                 if self.zero >= stage]
        if self.sequence_parallel:
            shard.append("sequence = tensor")
        if not self.reshard:
            shard.append("reshard_after_forward = false")
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
        numbers = (f"{'master_weights' if n == 'master' else n} = {getattr(self, n)}"
                   for n in ("compute", "parameters", "gradients", "reduce", "master", "moments"))
        lines.append(f"precision {{ {', '.join(numbers)} }}")
        lines.append(f"optimizer = {self.optimizer}")
        return "\n  ".join(lines)

    def dpl(self):
        """The layout as a .dpl file."""
        return (f"// Draw {self.index}: {', '.join(self.changes) or 'nothing changed'}.\n"
                "import std.models\nimport std.clusters\n\n"
                f"model drawn from models.decoder {{\n  {self._model()}\n}}\n\n"
                f"cluster pod from clusters.dgx_h100 {{ nodes = {self.nodes} }}\n\n"
                f"layout drawn_layout for drawn on pod {{\n  {self._layout()}\n}}\n")
