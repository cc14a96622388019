"""A drawn layout in Accelerate's terms, and its verdict. Nothing here goes through dplc."""
import os
import random
import tempfile

import drawn as deepspeed  # ../deepspeed/drawn.py
from agreement import Inexpressible

SIXTEEN = ("fp16", "bf16")


def require(condition, what):
    if not condition:
        raise Inexpressible(what)


def plug_in(d):
    """Which of its distributed types shards and splits what the layout does."""
    if d.pipeline > 1 or d.tensor > 1 and d.zero < 2:
        require(d.zero < 2, "gradients or parameters sharded in a pipeline")
        return "MEGATRON_LM"
    if d.zero == 3:
        return "FSDP"
    require(d.tensor == 1, "gradients sharded with tensor parallelism")
    if d.zero:
        return "DEEPSPEED"
    return "MEGATRON_LM" if d.context > 1 else "MULTI_GPU" if d.world > 1 else "NO"


def shape(d):
    """What no mesh of its own takes, and what models of transformers and Megatron-LM are made of."""
    require(d.data > 0, "axes that do not divide the devices")
    require(not (d.data_outside and d.pipeline > 1 and d.data * d.replica > 1), "stages inside data")
    require(d.batch % (d.micro * d.data * d.replica) == 0, "a batch that does not divide")
    require(d.latent or d.heads % d.kv_heads == 0, "query heads that share no key-value head evenly")
    require(d.heads % d.tensor == 0, "heads dealt unevenly")
    require(d.width % d.tensor == 0 or d.experts and not d.dense_layers, "columns dealt unevenly")
    require(not d.experts or d.active <= d.experts, "more active experts than there are")
    if d.experts:
        require(d.expert_width % d.expert_tensor == 0, "columns of experts dealt unevenly")
        require(not d.shared or d.expert_width * d.shared % d.tensor == 0, "shared experts dealt unevenly")
        require(d.stage_devices // d.replica % (d.expert * d.expert_tensor) == 0, "an expert grid that fills no stage")
        require(d.experts % d.expert == 0, "experts dealt unevenly")
    require(d.context == 1 or d.sequence % (2 * d.context) == 0, "sequences that do not divide by context")
    require(not d.split or len(d.split) == d.pipeline * d.chunks and sum(d.split) == d.layers, "no such split")


def flat(d):
    require(d.chunks == 1, "chunks without a pipeline")
    require(not d.experts or d.expert == 1 and d.expert_tensor == 1, "experts on ranks of their own")
    require(not d.overlap_tensor and not d.overlap_experts, "collectives beside computation")


def formats(d, parameters, gradients, master="fp32"):
    require(d.compute in ("fp32", *SIXTEEN), "8-bit products")
    require(d.parameters in parameters, "parameters of another type")
    require(d.gradients == gradients, "gradients of another type")
    require(d.moments == "fp32", "narrow moments")
    require(d.master == master or d.parameters == "fp32" and d.master in ("none", "fp32"), "a master copy of another type")


def fully_sharded(d):
    flat(d)
    formats(d, (d.compute, "fp32"), "fp32")
    require(d.reduce == d.compute, "gradients reduced in another type")
    require(d.latent or d.kv_heads % d.tensor == 0, "key-value heads dealt unevenly")
    require(not d.sequence_parallel, "activations split by tensor parallelism")
    require(d.overlap_gradients and d.overlap_parameters, "collectives that wait")
    return {"fsdp_config": {
        "fsdp_version": 2, "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP", "fsdp_reshard_after_forward": d.reshard,
        "fsdp_activation_checkpointing": d.recompute == "full", "fsdp_cpu_ram_efficient_loading": False,
        "fsdp_state_dict_type": "SHARDED_STATE_DICT"},
        "parallelism_config": {
            "parallelism_config_dp_replicate_size": d.replica, "parallelism_config_dp_shard_size": d.data,
            "parallelism_config_tp_size": d.tensor, "parallelism_config_cp_size": d.context}}


def data_parallel(d):
    flat(d)
    formats(d, ("fp32",), "fp32", "none")
    require(d.reduce == "fp32", "gradients reduced in another type")
    require(d.overlap_gradients, "collectives that wait")
    return {}


def stages(d):
    """Layers of the stages but the last, and of the last."""
    require(d.chunks == 1 and (d.pipeline == 1 or d.schedule != "gpipe"), "another schedule")
    layers = list(d.split)
    if not layers:
        slots = d.layers + d.embedding_slots + d.head_slots
        require(slots % d.pipeline == 0, "layers do not divide over stages")
        layers = [slots // d.pipeline] * d.pipeline
        layers[0] -= d.embedding_slots
        layers[-1] -= d.head_slots
    require(len(set(layers[:-1])) <= 1, "stages of several lengths")
    require(min(layers) > 0, "an empty stage")
    return layers[0], layers[-1]


def megatron(d):
    wide = "fp16" if d.compute == "fp16" else "fp32"
    formats(d, (d.compute,), wide, "none" if d.compute == "fp32" else "fp32")
    require(d.reduce == wide, "gradients reduced in another type")
    require(not d.latent and not d.prediction_layers, "a model that it does not make")
    require(d.kv_heads % d.tensor == 0 or d.tensor % d.kv_heads == 0, "key-value heads dealt unevenly")
    require(d.recompute == "full", "no recomputation of whole layers")
    require(not (d.replica > 1 and d.zero), "replicas of shards")
    require(not d.overlap_gradients and not (d.zero and d.overlap_parameters), "collectives beside computation")
    require(not d.overlap_tensor and not d.overlap_experts, "collectives beside computation")
    require(d.sequence_parallel or not (d.experts and d.tensor > 1), "experts whose tokens are not split by tensor")
    require(not (d.bias and d.experts) or d.expert_tensor == 1 and not d.shared, "biases of experts in parts or shared")
    require(not d.sequence_parallel or d.sequence % (d.context * d.tensor) == 0, "sequences that tensor does not split")
    first, last = stages(d)
    return {"megatron_lm_config": {
        "megatron_lm_tp_degree": d.tensor, "megatron_lm_pp_degree": d.pipeline,
        "megatron_lm_context_parallel_size": d.context, "megatron_lm_gradient_clipping": 1.0,
        "megatron_lm_num_micro_batches": d.batch // (d.micro * d.data * d.replica),
        "megatron_lm_sequence_parallelism": d.sequence_parallel, "megatron_lm_use_distributed_optimizer": d.zero > 0,
        "megatron_lm_recompute_granularity": "full", "megatron_lm_recompute_method": d.recompute_method,
        "megatron_lm_recompute_num_layers": d.recompute_layers,
        **({"megatron_lm_decoder_last_pipeline_num_layers": last} if last != first else {}),
        "megatron_lm_expert_model_parallel_size": d.expert, "megatron_lm_expert_tensor_parallel_size": d.expert_tensor}}


def of_deepspeed(d):
    require(not d.experts or d.expert == 1, "experts on ranks of their own")
    deepspeed.expressible(d)
    out = {"deepspeed_config": {"deepspeed_multinode_launcher": "standard", "zero3_init_flag": False}}
    if d.context > 1:
        out["parallelism_config"] = {
            "parallelism_config_dp_replicate_size": 1, "parallelism_config_dp_shard_size": d.data * d.replica,
            "parallelism_config_sp_size": d.context, "parallelism_config_sp_backend": "deepspeed",
            "parallelism_config_sp_seq_length": d.sequence, "parallelism_config_sp_seq_length_is_variable": False}
    return out


SECTIONS = {"FSDP": fully_sharded, "DEEPSPEED": of_deepspeed, "MEGATRON_LM": megatron, "MULTI_GPU": data_parallel,
            "NO": data_parallel}


def settings(d):
    """What stands in accelerate.yaml."""
    kind = plug_in(d)
    shape(d)
    out = {"compute_environment": "LOCAL_MACHINE", "distributed_type": kind, "num_processes": d.world,
           "num_machines": d.nodes, "rdzv_backend": "static", "same_network": True, "main_training_function": "main",
           "use_cpu": False, "debug": False, **SECTIONS[kind](d)}
    if kind != "DEEPSPEED":
        out["mixed_precision"] = "no" if d.compute == "fp32" else d.compute
    return out


class Judge:
    """judge(draw): None, or Accelerate's own words."""

    def __init__(self, client):
        self.client = client

    def __call__(self, d):
        import yaml

        wanted = settings(d)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "accelerate.yaml")
            with open(path, "w", encoding="utf-8") as file:
                yaml.safe_dump(wanted, file)
            arguments = ["--config_file", path, "--machine_rank", "0", "--main_process_ip", "localhost"]
            if wanted["distributed_type"] == "DEEPSPEED":
                arguments += ["--deepspeed_config_file", self.write_config(d, folder)]
            try:
                self.launch(d, [*arguments, "train.py"])
            except Inexpressible:
                raise
            except (Exception, SystemExit) as error:  # whatever it raises is an answer
                return f"{type(error).__name__}: {error}"
        return None

    @staticmethod
    def write_config(d, folder):
        import json

        path = os.path.join(folder, "ds_config.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(deepspeed.config(d), file)
        return path

    def launch(self, d, arguments):
        _, defaults, variables = self.client.parse(arguments)
        kind = defaults.distributed_type.value
        with self.client.world(variables, random.Random(d.index).randrange(d.world), d.world):
            made = self.client.accelerator(kind, variables, d.world)
            if kind == "MEGATRON_LM":
                made.plug_in.set_training_args(d.micro, d.data * d.replica)
            if kind == "DEEPSPEED":
                self.engine(d, made)

    def engine(self, d, made):
        client, mpu, shape_of = self.client.deepspeed, None, deepspeed.shape_of(d)
        if d.context > 1:  # as accelerator.py does through register_with_transformers
            client.sequence.initialize_sequence_parallel(made.parallelism.sp_size)
            mpu = client.sequence
        client.engine(self.client.engine_config(made), client.model(shape_of), mpu)
        if d.context > 1:
            client.ulysses(shape_of, d.sequence, client.sequence.get_sequence_parallel_group())
