"""A drawn layout in DeepSpeed's terms, and its verdict. Nothing here goes through dplc."""
import os
import random

from agreement import Inexpressible

SIXTEEN = ("fp16", "bf16")


def require(condition, what):
    if not condition:
        raise Inexpressible(what)


def shape_of(d):
    return {"layers": d.layers, "heads": d.heads, "kv_heads": d.heads if d.latent else d.kv_heads,
            "experts": d.experts, "active": d.active, "expert": d.expert, "tensor": d.tensor,
            "expert_tensor": d.expert_tensor}


def counts(d):
    """Entries of embedding, layers and head by stage, as the layout says."""
    require(not d.split or len(d.split) == d.pipeline and sum(d.split) == d.layers, "no such split")
    layers = list(d.split)
    if not layers:
        slots = d.layers + d.embedding_slots + d.head_slots
        require(slots % d.pipeline == 0, "layers do not divide over stages")
        layers = [slots // d.pipeline] * d.pipeline
        layers[0] -= d.embedding_slots
        layers[-1] -= d.head_slots
    layers[0] += 1
    layers[-1] += 1
    return layers


def overlaps(d):
    """What the layout asks to be done beside computation, and DeepSpeed never does so."""
    reduces_later = d.pipeline > 1 or d.zero == 0 or \
        d.zero == 1 and d.parameters == "bf16" and d.gradients == "fp32"
    require(not (d.overlap_gradients and reduces_later), "gradients beside the backward pass")
    require(not (d.overlap_parameters and d.zero in (1, 2)), "parameters beside the forward pass")
    require(not (d.overlap_parameters and d.zero == 3 and not d.overlap_gradients), "one setting for both overlaps")
    require(not d.overlap_experts, "tokens beside computation")


def precision(d):
    """The keys of the number formats."""
    require(d.compute in ("fp32", *SIXTEEN), "8-bit products")
    require(d.parameters == d.compute or d.parameters == "fp32", "parameters of another type")
    require(d.gradients in ("fp32", d.parameters), "gradients of another type")
    out = {"data_types": {"grad_accum_dtype": d.gradients}, "communication_data_type": d.reduce,
           "seq_parallel_communication_data_type": d.reduce}
    if d.parameters == "fp32":
        require(d.master in ("none", "fp32"), "a master copy of fp32")
        require(d.moments == "fp32", "narrow moments of fp32")
        if d.compute != "fp32":
            out["torch_autocast"] = {"enabled": True, "dtype": {"fp16": "float16"}.get(d.compute, "bfloat16")}
        return out
    out[d.parameters] = {"enabled": True}
    require(d.master in ("fp32", d.parameters), "a master copy of another type, or none")
    if d.master == "fp32":
        require(d.moments == "fp32", "narrow moments of a wide master copy")
        return out
    out[d.parameters][f"{d.parameters}_master_weights_and_grads"] = True
    if d.parameters == "bf16" and d.moments == "bf16":
        out["bf16"]["bf16_optimizer_states"] = True
    require(d.gradients == d.master or d.zero == 0, "master copies and gradients of two types")
    return out


def config(d):
    out = {"train_batch_size": d.batch, "train_micro_batch_size_per_gpu": d.micro, "gradient_clipping": 1.0,
           "zero_optimization": {"stage": d.zero}, **precision(d),
           "optimizer": {"type": {"adamw": "AdamW", "adam": "Adam", "sgd": "SGD"}[d.optimizer], "params": {}}}
    ranks = d.data * d.replica
    out["gradient_accumulation_steps"] = max(1, d.batch // (d.micro * ranks))
    if d.optimizer == "sgd":
        out["zero_allow_untested_optimizer"] = True
    if d.pipeline == 1 and d.tensor > 1:
        out["tensor_parallel"] = {"autotp_size": d.tensor, "tp_overlap_comm": d.overlap_tensor}
        if d.experts:  # the triangle is then that of the whole world
            del out["train_batch_size"]
            require(d.batch == d.micro * ranks * out["gradient_accumulation_steps"], "a batch that does not divide")
    if d.pipeline == 1 and d.experts:
        out["expert_parallel"] = {"enabled": True, "autoep_size": d.expert,
                                  "expert_tensor_parallel_size": d.expert_tensor}
    if d.context > 1:
        out["sequence_parallel_size"] = d.context
    return out


def expressible(d):
    """Raises Inexpressible where DeepSpeed has nothing that does what the layout says."""
    require(d.data > 0, "axes that do not divide the devices")
    require(not (d.data_outside and d.pipeline > 1 and d.data * d.replica > 1), "stages inside data")
    require(d.schedule == "1f1b" or d.pipeline == 1 and d.chunks == 1, "another schedule")
    require(not (d.pipeline > 1 and d.context > 1), "context in a pipeline")
    require(not (d.tensor > 1 and d.context > 1), "AutoTP with Ulysses")
    require(not (d.pipeline > 1 and d.prediction_layers), "prediction layers in a pipeline")
    require(not (d.replica > 1 and d.zero > 0), "replicas of shards")
    require(d.reshard or d.zero < 3, "parameters kept")
    if d.tensor > 1:
        kv = d.heads if d.latent else d.kv_heads
        require(d.heads % d.tensor == 0, "heads dealt unevenly")
        require(kv % d.tensor == 0 or d.pipeline > 1 and d.tensor % kv == 0, "key-value heads dealt unevenly")
        require(d.width % d.tensor == 0 or d.experts and not d.dense_layers, "columns dealt unevenly")
        require(d.shared * d.expert_width % d.tensor == 0 or not d.experts, "shared experts dealt unevenly")
        require(not (d.sequence_parallel and d.pipeline == 1), "activations split by AutoTP")
    require(d.latent or d.heads % d.kv_heads == 0, "query heads that share no key-value head evenly")
    if d.experts:
        require(d.active <= d.experts, "more active experts than there are")
        require(d.stage_devices // d.replica % (d.expert * d.expert_tensor) == 0,
                "an expert grid that does not fill a stage of a replica")
        if d.pipeline > 1:
            require(d.expert_tensor == d.tensor, "experts split otherwise than the layers")
            require(d.expert_width % d.expert_tensor == 0, "columns of experts dealt unevenly")
        else:
            require(d.gated and not d.capacity, "experts without gates or with a capacity")
    overlaps(d)


def adjust(d):
    """Brings a draw, made around Megatron-LM's core, nearer to what DeepSpeed knows; each step leaves some as they are."""
    r = random.Random(f"deepspeed/{d.index}")

    def mostly(share=0.93):
        return r.random() < share

    if d.schedule != "1f1b" and mostly():
        d.schedule, d.chunks, d.overlap_pipeline = "1f1b", 1, True
    if d.pipeline > 1 and not d.latent and not d.experts and r.random() < 0.35:
        d.pipeline = 1  # AutoTP, Ulysses and ZeRO 2 and 3 need that
        d.zero = r.choice([1, 2, 3])
    if len(d.split) != d.pipeline or mostly(0.7):
        d.split = ()
    if not d.split and d.layers % d.pipeline and "layers" not in d.changes:
        d.layers = d.pipeline * max(1, d.layers // d.pipeline)
    d.dense_layers = min(d.dense_layers, d.layers - 1)
    if d.pipeline == 1 or not d.split and mostly(0.8):
        d.embedding_slots = d.head_slots = 0
    if d.context > 1 and (d.pipeline > 1 or d.tensor > 1) and mostly():
        d.context = 1
        if d.pipeline == 1 and r.random() < 0.4:
            d.context, d.tensor = d.tensor, 1
    if d.pipeline > 1 and mostly():
        d.prediction_layers, d.zero = 0, min(d.zero, 1)
    if d.pipeline == 1 and mostly():
        d.sequence_parallel = False
    if d.replica > 1 and d.zero and mostly():
        d.replica = 1
    if mostly():
        d.data_outside = False
    _numbers(d, r, mostly)
    _experts(d, r, mostly)
    if mostly(0.97):
        later = d.pipeline > 1 or d.zero == 0 or d.zero == 1 and d.parameters == "bf16" and d.gradients == "fp32"
        d.overlap_gradients = d.overlap_gradients and not later
        d.overlap_parameters = d.zero == 3 and d.overlap_gradients
    if "overlap_experts" not in d.changes or mostly(0.8):
        d.overlap_experts = False
    d.overlap_tensor = d.overlap_tensor and (d.sequence_parallel or d.tensor > 1)
    if d.data and not {"batch", "micro", "small_batch"} & set(d.changes):
        d.batch = d.micro * d.data * d.replica * (d.pipeline + r.randint(0, 4))


def _numbers(d, r, mostly):
    if d.compute not in ("fp32", *SIXTEEN) and mostly():
        d.compute = d.parameters = "bf16"
    if d.moments != "fp32" or r.random() < 0.1:
        d.master, d.moments = r.choice([("fp32", "fp32"), ("bf16", "bf16"), ("bf16", "bf16"), ("bf16", "fp32")])
        d.gradients = r.choice(["bf16", "bf16", "fp32"])
    if d.parameters == "fp32":
        d.master, d.gradients = "none", "fp32"
    if d.compute in SIXTEEN and r.random() < 0.1:
        d.parameters, d.master, d.gradients, d.moments = "fp32", "none", "fp32", "fp32"  # torch autocast
    if d.zero == 0 and mostly(0.8):
        d.gradients = d.parameters


def _experts(d, r, mostly):
    if not d.experts:
        return
    if mostly():
        d.gated, d.capacity = True, 0.0
    if mostly():
        d.expert_tensor = d.tensor if d.pipeline > 1 else 1
    if d.data and d.stage_devices % (d.expert * d.expert_tensor) and mostly():
        d.expert = r.choice([n for n in (1, 2, 3, 4, 8) if d.stage_devices // d.expert_tensor % n == 0])
    if d.experts % d.expert and mostly(0.8):
        d.experts = d.expert * r.randint(1, 4)
    d.active = min(d.active, d.experts) if mostly() else d.active


class Judge:
    """judge(draw): None, or DeepSpeed's own words."""

    def __init__(self, client):
        self.client = client

    def __call__(self, d):
        expressible(d)
        rank = random.Random(d.index).randrange(d.world)
        with self.client.world(rank, d.world):
            try:
                self.run(d)
            except Inexpressible:
                raise
            except Exception as error:
                return f"{type(error).__name__}: {error}" or type(error).__name__
        return None

    def run(self, d):
        client, shape, settings = self.client, shape_of(d), config(d)
        pipeline, mpu = {}, None
        if d.pipeline > 1:
            topology = client.topology.PipeModelDataParallelTopology(
                num_pp=d.pipeline, num_mp=d.tensor, num_dp=d.data * d.replica)
            pipeline = {"topology": topology, "partition_method": self.method(d, counts(d))}
        elif d.context > 1:
            client.sequence.initialize_sequence_parallel(d.context)
            mpu = client.sequence
        elif d.tensor > 1 and not d.experts:
            client.groups._init_tp_mesh_device(tensor_model_parallel_size=d.tensor)
            mpu = client.groups
        client.engine(settings, client.model(shape, pipeline), mpu)
        if d.context > 1:
            client.ulysses(shape, d.sequence, client.sequence.get_sequence_parallel_group())

    def method(self, d, wanted):
        """The partition method that gives this split, asked of DeepSpeed's own partitions."""
        from deepspeed.runtime import utils

        weights = [0, *[1] * d.layers, 0]
        for name, parts in (("type:transformer", utils.partition_balanced(weights, d.pipeline)),
                            ("uniform", utils.partition_uniform(len(weights), d.pipeline))):
            if [b - a for a, b in zip(parts, parts[1:])] == wanted:
                return name
        raise Inexpressible(f"stages of {wanted}")
