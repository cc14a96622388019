"""A second generator of layouts, which shares no code with common/draw.py: other shapes, damages and options.

Degrees are the prime factors of the devices, dealt to the axes; sizes are rounded up to what the degrees divide; facts
of the model that the first generator leaves alone are drawn too. A layout is a dictionary of numbers from which the
text for dplc (`dpl`) and Megatron-LM's options (`options`, from its documentation) are written side by side. A damage
changes one entry of it. `layouts(count, seed)` gives the same ones for the same seed.
"""
import random

from agreement import Inexpressible
from other_damages import DAMAGES, primes

AXES = ("tensor", "pipeline", "context", "data", "replica")
WORDS = {"core_attention": "core_attn", "norm": "layernorm", "mlp": "mlp", "moe": "moe", "activation": "moe_act"}
RECIPES = {"tensorwise": ("hybrid", []), "blockwise": ("e4m3", []),
           "delayed": ("hybrid", ["--fp8-amax-history-len", 1024, "--fp8-amax-compute-algo", "max"])}


def up(number, unit):
    return -(-number // unit) * unit


class Layout:
    """What the judge asks of a layout beside its options are numbers by name."""

    def __init__(self, index, values, changes):
        self.index, self.values, self.changes = index, values, changes

    def __getattr__(self, name):
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(name) from None

    # -- for dplc

    def attention_text(self):
        if self.latent:
            return "mla { kv_lora_rank = 192, qk_nope_head_dim = 32, qk_rope_head_dim = 16, v_head_dim = 48 }"
        inner = [f"window = {self.window}tok"] * (self.window > 0) + ["sinks = true"] * self.sinks
        return "grouped" + (f" {{ {', '.join(inner)} }}" if inner else "")

    def parts(self):
        """(dense part, routed part)"""
        word = {"silu": "silu", "quick": "quick_gelu", "relu2": "squared_relu", "gelu": "gelu"}[self.activation]
        extra = ", offset = 1.0, clamp = 7.0" if self.activation == "quick" else ""
        dense = f"ffn = {'gated' if self.gated else 'plain'} {{ width = {self.width}, activation = {word}{extra} }}"
        router = [f"balance = {self.balance}" + (" { coefficient = 0.005 }" if self.loss else "")]
        router += ["score_function = sigmoid"] * self.sigmoid + ["bias_update_rate = 0.002"] * self.bias_rate
        router += ["normalized = false"] * self.before
        router += [f"groups = {self.groups}, group_top_k = {self.group_limit}"] * (self.groups > 1)
        router += ["precision = fp32"] * self.router_fp32 + ["z_loss = 0.0005"] * self.z_loss
        routed = (f"ffn = experts {{ count = {self.experts}, top_k = {self.active}, width = {self.expert_width}, "
                  f"gated = {str(self.gated).lower()}, activation = {word}{extra}"
                  + (f", shared = 1, shared_width = {self.shared}" if self.shared else "")
                  + (f", capacity_factor = {self.capacity}" if self.capacity else "")
                  + f", router {{ {', '.join(router)} }} }}")
        return dense, routed

    def model_text(self):
        dense, routed = self.parts()
        lines = [f"layers = {self.layers}", f"hidden = {self.hidden}", f"heads = {self.heads}", f"vocab = {self.vocab}",
                 f"context = {self.sequence}tok", f"attention = {self.attention_text()}",
                 f"norm = {self.norm} {{ epsilon = {self.epsilon}, zero_centered = {str(self.centered).lower()} }}"]
        if self.latent:
            lines += ["head_dim = 48"] * (self.hidden % self.heads != 0)
        else:
            lines += [f"kv_heads = {self.kv_heads}", f"head_dim = {self.head}"]
        if self.positions == "rotary":
            scaling = {"": "", "linear": ", scaling = linear { factor = 4.0 }", "llama3": ", scaling = llama3"}
            lines.append(f"positions = rotary {{ base = {self.base}.0, fraction = {self.turned}{scaling[self.scaling]} }}")
        else:
            lines.append(f"positions = {self.positions}")
        lines += [f"{name} = true" for name in ("tied_embeddings", "bias", "qkv_bias") if self.values[name]]
        lines += [f"qk_norm = {self.qk_norm}"] * bool(self.qk_norm)
        lines += [f"dropout {{ attention = {self.drop}, hidden = {self.drop} }}"] * (self.drop > 0)
        lines += [f"init_std = {self.deviation}"]
        if not self.experts:
            lines.append(dense)
        elif self.dense_layers:
            lines += [f"layer[0..<{self.dense_layers}] {{ {dense} }}",
                      f"layer[{self.dense_layers}..<{self.layers}] {{ {routed} }}"]
        else:
            lines.append(routed)
        return lines

    def layout_text(self):
        axes = [f"{name} = {self.values[name]}" for name in ("pipeline", "replica", "data", "context", "tensor")
                if self.values[name] > 1]
        if self.experts:
            axes.append(f"experts {{ data = rest, expert = {self.expert}, tensor = {self.expert_tensor} }}")
        lines = [f"mesh {{ {', '.join(axes)} }}", f"batch = {self.batch}seq", f"micro_batch = {self.micro}seq"]
        if self.chunks > 1:
            lines += [f"schedule = interleaved_1f1b {{ chunks = {self.chunks} }}",
                      f"overlap.pipeline = {str(self.sends_beside).lower()}"]
        lines += [f"split = [{', '.join(map(str, self.split))}]"] * bool(self.split)
        shard = [f"{name} = data" for stage, name in enumerate(("optimizer", "gradients", "parameters"), 1)
                 if self.zero >= stage] + ["sequence = tensor"] * self.cut
        lines += [f"shard {{ {', '.join(shard)} }}"] * bool(shard)
        lines += [f"overlap.gradients = {str(self.reduces_beside).lower()}",
                  f"overlap.parameters = {str(self.gathers_beside).lower()}"]
        if self.recompute in ("uniform", "block"):
            lines.append(f"recompute = full {{ method = {self.recompute}, layers = {self.group} }}")
        elif self.recompute:
            lines.append(f"recompute = selective {{ modules = [{self.recompute}] }}")
        lines += ["fused_attention = false"] * (not self.flash)
        recipe = f", recipe = {self.recipe}" if self.compute == "fp8" else ""
        wide = "bf16" if self.compute == "fp8" else self.compute
        master = "none" if wide == "fp32" else "fp32"
        lines.append(f"precision {{ compute = {self.compute}{recipe}, parameters = {wide}, gradients = {self.summed}, "
                     f"reduce = {self.summed}, master_weights = {master}, moments = fp32 }}")
        lines += [f"kernels.token_dispatcher = {self.dispatch}"] * bool(self.experts)
        return [*lines, "vocab_multiple = 64", f"optimizer = {self.optimizer}"]

    def dpl(self):
        inner = "\n  "
        return (f"// Layout {self.index} of the second generator: {', '.join(self.changes) or 'as it was'}.\n"
                "import std.models\nimport std.clusters\n"
                f"model other from models.decoder {{\n  {inner.join(self.model_text())}\n}}\n"
                f"cluster pod from clusters.dgx_h100 {{ nodes = {self.world // 8} }}\n"
                f"layout other_layout for other on pod {{\n  {inner.join(self.layout_text())}\n}}\n")

    # -- for Megatron-LM

    def options(self, _release):
        out = ["--mock-data", "--tokenizer-type", "NullTokenizer", "--train-iters", 10, "--lr", "1e-4", "--eval-iters", 0,
               *self._model_options(), *self._expert_options(), *self._mesh_options(), *self._state_options()]
        return [str(word) for word in out]

    def _model_options(self):
        out = ["--num-layers", self.layers, "--hidden-size", self.hidden, "--num-attention-heads", self.heads,
               "--ffn-hidden-size", self.width, "--seq-length", self.sequence,
               "--max-position-embeddings", self.sequence, "--vocab-size", self.vocab,
               "--make-vocab-size-divisible-by", 64,
               "--normalization", "RMSNorm" if self.norm == "rms" else "LayerNorm", "--norm-epsilon", self.epsilon,
               "--attention-dropout", self.drop, "--hidden-dropout", self.drop, "--init-method-std", self.deviation,
               "--position-embedding-type",
               {"rotary": "rope", "learned": "learned_absolute", "none": "none"}[self.positions]]
        out += ["--apply-layernorm-1p"] * self.centered
        if self.positions == "rotary":
            out += ["--rotary-base", self.base, "--rotary-percent", self.turned]
            out += {"": [], "linear": ["--rotary-seq-len-interpolation-factor", 4],
                    "llama3": ["--use-rope-scaling"]}[self.scaling]
        if self.latent:
            out += ["--multi-latent-attention", "--kv-lora-rank", 192, "--qk-head-dim", 32, "--qk-pos-emb-head-dim", 16,
                    "--v-head-dim", 48, "--kv-channels", 48, "--qk-layernorm", "--rope-type", "rope",
                    "--no-rope-fusion"]
        else:
            out += ["--kv-channels", self.head] + {"": [], "head": ["--qk-layernorm"], "l2": ["--qk-l2-norm"]}[self.qk_norm]
            if self.kv_heads != self.heads:
                out += ["--group-query-attention", "--num-query-groups", self.kv_heads]
            out += ["--window-size", f"{self.window - 1},0"] if self.window else []
            out += ["--cp-comm-type", "all_gather"] * (self.window > 0 and self.context > 1)
            out += ["--softmax-type", "learnable"] * self.sinks
        out += {"silu": ["--swiglu"], "relu2": ["--squared-relu"], "gelu": ["--no-bias-gelu-fusion"] * self.bias,
                "quick": ["--quick-geglu", "--glu-linear-offset", 1.0, "--activation-func-clamp-value", 7.0,
                          *["--no-bias-gelu-fusion"] * (self.bias and (not self.experts or self.dense_layers > 0))],
                }[self.activation]
        if self.activation == "relu2" and self.bias:
            out.append("--no-bias-gelu-fusion")
        out += ["--untie-embeddings-and-output-weights"] * (not self.tied_embeddings)
        out += ["--disable-bias-linear"] * (not self.bias) + ["--add-qkv-bias"] * (self.qkv_bias and not self.bias)
        return out

    def _expert_options(self):
        if not self.experts:
            return []
        if self.sigmoid and self.before:
            raise Inexpressible("sigmoid scores that are not normalised")
        if self.balance == "sinkhorn" and (self.groups > 1 or self.bias_rate):
            raise Inexpressible("sinkhorn, which reads no groups and no bias")
        kind = {"aux_loss": "aux_loss", "seq_aux_loss": "seq_aux_loss", "global_aux_loss": "global_aux_loss",
                 "sinkhorn": "sinkhorn", "none": "none"}[self.balance]
        out = ["--num-experts", self.experts, "--moe-ffn-hidden-size", self.expert_width, "--moe-router-topk", self.active,
               "--moe-router-load-balancing-type", kind, "--moe-aux-loss-coeff", 0.005 if self.loss else 0.0,
               "--moe-router-score-function", "sigmoid" if self.sigmoid else "softmax", "--moe-grouped-gemm",
               "--moe-token-dispatcher-type", self.dispatch, "--expert-model-parallel-size", self.expert,
               "--expert-tensor-parallel-size", self.expert_tensor]
        out += ["--moe-router-pre-softmax"] * (self.before or self.active == 1 and not self.sigmoid)
        if self.bias_rate:
            out += ["--moe-router-enable-expert-bias", "--moe-router-bias-update-rate", 0.002]
        if self.groups > 1:
            out += ["--moe-router-num-groups", self.groups, "--moe-router-group-topk", self.group_limit]
        out += ["--moe-router-dtype", "fp32"] * self.router_fp32 + ["--moe-z-loss-coeff", 0.0005] * self.z_loss
        out += ["--moe-shared-expert-intermediate-size", self.shared] * (self.shared > 0)
        out += ["--moe-expert-capacity-factor", self.capacity] * (self.capacity > 0)
        if self.dense_layers:
            out += ["--moe-layer-freq", f"[0]*{self.dense_layers}+[1]*{self.layers - self.dense_layers}"]
        return out

    def _mesh_options(self):
        out = ["--tensor-model-parallel-size", self.tensor, "--pipeline-model-parallel-size", self.pipeline,
               "--context-parallel-size", self.context, "--micro-batch-size", self.micro, "--global-batch-size", self.batch]
        split = self.split
        if len(split) == self.pipeline and not any(layers % self.chunks for layers in split):  # of ranks, each in even chunks
            split = [layers // self.chunks for layers in split] * self.chunks
        if split and len(split) != self.pipeline * self.chunks:
            raise Inexpressible(f"{len(split)} entries for {self.pipeline} stages of {self.chunks} chunks")
        if len(split) > 1:
            stages = ["t" * layers for layers in split]
            out += ["--pipeline-model-parallel-layout", "E" + "|".join(stages) + "L"]
        elif self.chunks > 1:
            out += ["--num-virtual-stages-per-pipeline-rank", self.chunks]
        out += ["--no-overlap-p2p-communication"] * (self.chunks > 1 and not self.sends_beside)
        return out

    def _state_options(self):
        out = ["--sequence-parallel"] * self.cut + ["--use-distributed-optimizer"] * (self.zero > 0)
        out += ["--num-distributed-optimizer-instances", self.replica] * (self.zero > 0 and self.replica > 1)
        out += ["--overlap-grad-reduce"] * self.reduces_beside
        out += ["--overlap-param-gather"] * (self.gathers_beside and self.zero > 0)
        wide = "bf16" if self.compute == "fp8" else self.compute
        if self.summed not in ("fp32", wide) and (self.zero < 2 or self.summed == "fp16"):
            raise Inexpressible(f"gradients in {self.summed} beside {wide}")
        if self.zero > 1:
            out += ["--use-megatron-fsdp", "--data-parallel-sharding-strategy",
                    "optim_grads" if self.zero == 2 else "optim_grads_params", "--ckpt-format", "fsdp_dtensor",
                    "--megatron-fsdp-main-grads-dtype", self.summed, "--megatron-fsdp-grad-comm-dtype", self.summed]
        elif self.summed == "fp32" and wide != "fp32":
            out.append("--accumulate-allreduce-grads-in-fp32")
        elif self.summed == "bf16":
            out.append("--grad-reduce-in-bf16")
        out += [f"--{wide}"] if wide != "fp32" else []
        if self.compute == "fp8":
            form, more = RECIPES[self.recipe]
            out += ["--fp8-format", form, "--fp8-recipe", self.recipe, *more]
        if self.recompute in ("uniform", "block"):
            out += ["--recompute-granularity", "full", "--recompute-method", self.recompute, "--recompute-num-layers",
                    self.group]
        elif self.recompute:
            out += ["--recompute-granularity", "selective", "--recompute-modules", WORDS[self.recompute]]
        out += ["--attention-backend", "unfused"] * (not self.flash)
        return [*out, "--optimizer", "sgd" if self.optimizer == "sgd" else "adam"]

    def connections(self):
        return None if self.zero > 1 else "1"


def _dealt(r, v):
    """The factors of the devices, dealt to the axes."""
    for axis in AXES:
        v[axis] = 1
    for factor in primes(v["world"]):
        axis = r.choices(AXES, (5, 4, 1, 6, 1))[0]
        if v[axis] * factor > {"tensor": 12, "pipeline": 8, "context": 4, "replica": 3}.get(axis, 1 << 20):
            axis = "data"
        v[axis] *= factor


def _model(r, v):
    v["latent"] = r.random() < 0.1
    v["heads"] = up(r.choice([6, 8, 10, 12, 20, 28, 40]), v["tensor"])
    v["head"] = r.choice([48, 64, 80, 96, 128])
    v["kv_heads"] = r.choice([n for n in range(1, v["heads"] + 1)
                              if v["heads"] % n == 0 and (n % v["tensor"] == 0 or v["tensor"] % n == 0)])
    v["hidden"] = up(r.choice([512, 640, 1152, 1536]), 128 if r.random() < 0.7 else 16)
    v["width"] = up(round(v["hidden"] * r.choice([2.667, 3.5, 4])), 16 * v["tensor"])
    v["vocab"] = r.choice([32_000, 50_304, 99_999, 151_936])
    v["sequence"] = up(r.choice([768, 1152, 3072, 4096]), 16 * v["context"] * v["tensor"])
    v["window"] = 0 if v["latent"] or r.random() < 0.8 else r.choice([64, 100, 512])
    v["sinks"] = not v["latent"] and v["context"] == 1 and r.random() < 0.08
    v["norm"], v["epsilon"] = r.choice(["rms", "layer"]), r.choice(["1e-05", "1e-06"])
    v["epsilon"] = {"1e-05": "0.00001", "1e-06": "0.000001"}[v["epsilon"]]
    v["centered"] = r.random() < 0.2
    v["positions"] = "rotary" if v["latent"] else r.choice(["rotary", "rotary", "rotary", "learned", "none"])
    v["base"], v["turned"] = r.choice([10_000, 500_000]), 1.0 if v["latent"] else r.choice([1.0, 1.0, 0.5])
    v["scaling"] = "" if v["latent"] else r.choice(["", "", "linear", "llama3"])
    v["tied_embeddings"], v["bias"] = r.random() < 0.3, r.random() < 0.2
    v["qkv_bias"] = v["bias"] or r.random() < 0.2
    v["qk_norm"] = "" if v["latent"] or r.random() < 0.8 else r.choice(["head", "l2"])
    v["drop"], v["deviation"] = r.choice([0.0, 0.0, 0.1]), r.choice([0.02, 0.006])
    v["activation"] = r.choice(["silu", "silu", "silu", "gelu", "relu2", "quick"])
    v["gated"] = v["activation"] in ("silu", "quick")


def _experts(r, v):
    ranks = v["data"] * v["context"] * v["tensor"]
    v["experts"] = 0 if r.random() < 0.6 else r.choice([4, 6, 8, 12, 16])
    if v["replica"] > 1:
        v["experts"] = 0
    v["expert"] = r.choice([n for n in range(1, 13) if ranks % n == 0 and (v["experts"] or 1) % n == 0])
    v["expert_tensor"] = 1
    if not v["bias"] and ranks // v["expert"] % v["tensor"] == 0:
        v["expert_tensor"] = r.choice([1, v["tensor"]])
    v["active"] = min(r.choice([1, 2, 3, 4]), v["experts"] or 1)
    v["expert_width"] = up(r.choice([176, 320, 704]), 16 * v["expert_tensor"])
    v["shared"] = 0 if v["bias"] or r.random() < 0.6 else up(r.choice([256, 448]), 16 * v["tensor"])
    v["capacity"] = r.choice([0, 0, 0, 1.5])
    v["sigmoid"] = r.random() < 0.4
    v["bias_rate"] = v["sigmoid"] and r.random() < 0.5
    v["before"] = not v["sigmoid"] and v["active"] > 1 and r.random() < 0.3
    v["balance"] = r.choice(["aux_loss", "seq_aux_loss", "global_aux_loss", "none"])
    v["loss"] = v["balance"] != "none"
    halves = v["experts"] > 0 and v["experts"] % 2 == 0 and v["active"] <= v["experts"] // 2
    v["groups"] = 2 if halves and v["active"] > 1 and r.random() < 0.3 else 1
    v["group_limit"] = 1 if v["groups"] > 1 and r.random() < 0.5 else v["groups"]
    v["dispatch"] = r.choice(["alltoall", "alltoall", "allgather"])
    v["router_fp32"], v["z_loss"] = r.random() < 0.4, r.random() < 0.2


def _run(r, v):
    v["chunks"] = r.choice([1, 1, 2, 3]) if v["pipeline"] > 1 else 1
    v["sends_beside"] = v["pipeline"] == 2 or r.random() < 0.7
    stages = v["pipeline"] * v["chunks"]
    v["layers"], v["split"] = stages * r.randint(1, 3), ()
    if stages > 1 and r.random() < 0.4:  # a layer moves from one stage to another, and one more stands somewhere
        split = [v["layers"] // stages + 1] * stages
        split[r.randrange(stages)] -= 1
        split[r.randrange(stages)] += 1
        v["split"], v["layers"] = tuple(split), sum(split)
    v["dense_layers"] = r.randint(1, v["layers"] - 1) if v["experts"] and v["layers"] > 1 and r.random() < 0.3 else 0
    v["micro"] = r.choice([1, 2, 3])
    passes = v["pipeline"] * r.randint(1, 4)
    v["batch"] = v["micro"] * v["data"] * v["replica"] * passes
    v["zero"] = r.choice([0, 1, 1, 1]) if v["pipeline"] > 1 or v["replica"] > 1 else r.choice([0, 1, 1, 2, 3])
    if v["replica"] > 1:
        v["zero"] = 1
    v["cut"] = v["tensor"] > 1 and (v["experts"] > 0 or r.random() < 0.5)
    v["reduces_beside"] = r.random() < 0.6 or v["zero"] == 3
    v["gathers_beside"] = v["zero"] > 0 and v["reduces_beside"] and r.random() < 0.6
    v["compute"] = r.choice(["bf16", "bf16", "bf16", "fp16", "fp32", "fp8"])
    if v["context"] > 1 and v["compute"] == "fp32":
        v["compute"] = "bf16"
    v["recipe"] = r.choice(list(RECIPES))
    v["summed"] = "fp32" if v["compute"] != "bf16" or r.random() < 0.7 else "bf16"
    v["recompute"] = r.choice(["", "", "uniform", "block", "core_attention", "norm"]
                              + (["moe"] if v["experts"] else ["mlp"]))
    v["group"] = r.randint(1, max(1, v["layers"] // stages)) if v["recompute"] == "block" else 1
    v["flash"] = v["context"] > 1 or r.random() < 0.85
    v["optimizer"] = r.choice(["adamw", "adamw", "adam", *["sgd"] * (v["zero"] == 0)])


def layout(index, seed):
    r = random.Random(f"other/{seed}/{index}")
    v = {"world": 8 * r.choice([1, 1, 2, 3, 4, 5, 6, 8, 12])}
    _dealt(r, v)
    _model(r, v)
    _experts(r, v)
    _run(r, v)
    chosen = r.sample(sorted(DAMAGES), r.choice([0, 0, 1, 1, 1, 2]))
    for name in chosen:
        DAMAGES[name](r, v)
    v["loss"] = v["balance"] in ("aux_loss", "seq_aux_loss", "global_aux_loss")
    v["gated"] = v["activation"] in ("silu", "quick")
    v["qkv_bias"] = v["qkv_bias"] or v["bias"]
    v["dense_layers"] = min(v["dense_layers"], v["layers"] - 1) if v["experts"] else 0
    v["group_limit"] = min(v["group_limit"], v["groups"])
    return Layout(index, v, tuple(chosen))


def layouts(count, seed):
    return [layout(index, seed) for index in range(count)]
