"""Compares configurations: megatron-bridge's of FOLDER/../config.json with Megatron-LM's of FOLDER/launch; a model that
it does not know has the options of Megatron-LM's own script in FOLDER/../options.json instead.

    python judge.py FOLDER...

Runs in the environment of bridge.txt. A folder whose epsilon is changed has to differ, so that the comparison is seen
to compare.
"""
import contextlib
import dataclasses
import importlib
import io
import json
import logging
import os
import sys
import warnings

import absent
from launcher import Launch

# Fields that say how a model is run, not what it is: kernels, types, devices, communication, inference.
HOW = {
    "apply_rope_fusion", "autocast_dtype", "batch_p2p_comm", "bf16", "bias_activation_fusion", "bias_dropout_fusion",
    "cp_comm_type", "cross_entropy_fusion_impl", "cross_entropy_loss_fusion", "deallocate_pipeline_outputs",
    "expert_tensor_parallel_num_weight_shards", "gradient_accumulation_fusion", "inference_sampling_seed",
    "masked_softmax_fusion", "moe_grouped_gemm", "moe_permute_fusion", "moe_router_fusion", "moe_shared_expert_overlap",
    "moe_token_dispatcher_type", "params_dtype", "persist_layer_norm", "pipeline_dtype",
    "tensor_parallel_num_weight_shards", "use_cpu_initialization"}
# Where both are the same model, or the other one knows less; by the model's type, or its name.
EXPLAINED = {
    "deepseek_v3": {
        "kv_channels": "latent attention has head sizes of its own",
        "moe_router_pre_softmax": "sigmoid scores are normalised either way"},
    "qwen3_moe": {"ffn_hidden_size": "no layer is dense"},
    "gpt_oss": {
        "add_qkv_bias": "biases in all linear layers, which Megatron-LM's own validation takes to those of queries too",
        "moe_router_load_balancing_type": "config.json has router_aux_loss_coef, which is not applied there"},
    "kimi_k2_pretraining": {
        "moe_router_group_topk": "one group of one is no group",
        "moe_router_num_groups": "one group of one is no group",
        "mscale_all_dim": "a factor of YaRN, whose scaling is 1 there",
        "rope_type": "YaRN with a scaling of 1 is none, and the default of latent attention"},
    "mixtral": {
        "embedding_init_method_std": "as init_method_std",
        "init_method_std": "0.01 in Megatron-LM's script, the published initializer_range is 0.02",
        "moe_aux_loss_coeff": "0.01 in Megatron-LM's script, the published router_aux_loss_coef is 0.02"}}
ARGUMENTS = ("rotary_base", "rotary_percent", "position_embedding_type", "vocab_size")
CLASSES = ("llama", "mistral", "qwen2", "qwen3", "qwen3_moe", "deepseek_v3", "gpt_oss", "nemotron")


def shown(value):
    """Functions by their name: each side has its own of the same."""
    name = getattr(value, "__qualname__", None) or getattr(getattr(value, "func", None), "__qualname__", None)
    return name.split(".")[0] if name else value


def read(path):
    """The JSON of a file, None where there is none."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Judge:
    def __init__(self):
        for name in CLASSES:  # before there are packages that only seem to be installed
            importlib.import_module(f"transformers.models.{name}.modeling_{name}")
        absent.install()
        import shims
        shims.install()
        from megatron.bridge import AutoBridge
        from megatron.training import argument_utils, arguments
        from transformers import AutoConfig
        self.bridge, self.config, self.arguments = AutoBridge, AutoConfig, arguments
        self.made = argument_utils.core_transformer_config_from_args

    def theirs(self, configuration):
        provider = self.bridge.from_hf_config(self.config.for_model(**configuration)).to_megatron_provider(
            load_weights=False)
        provider.finalize()
        return provider

    def parsed(self, options):
        sys.argv = ["pretrain_gpt.py", *options]
        os.environ.update(WORLD_SIZE="1", RANK="0", CUDA_DEVICE_MAX_CONNECTIONS="1")
        args = self.arguments.validate_args(self.arguments.parse_args())
        return args, self.made(args)

    def differences(self, folder, *more):
        """(fields compared, what differs)."""
        above = os.path.dirname(folder)
        configuration, script = (read(os.path.join(above, name)) for name in ("config.json", "options.json"))
        with contextlib.redirect_stdout(io.StringIO()):
            args, config = self.parsed([*Launch(os.path.join(folder, "launch")).arguments, *more])
            if script:
                theirs, provider = self.parsed(script)
                scaled, tied = theirs.use_rope_scaling, not theirs.untie_embeddings_and_output_weights
            else:
                theirs = provider = self.theirs(configuration)
                scaled, tied = provider.rope_scaling, provider.share_embeddings_and_output_weights
        pairs = {f.name: (getattr(config, f.name), getattr(provider, f.name))
                 for f in dataclasses.fields(config) if hasattr(provider, f.name)}
        pairs |= {name: (getattr(args, name), getattr(theirs, name)) for name in ARGUMENTS}
        pairs["rope_scaling"] = (args.use_rope_scaling, scaled)
        pairs["tied"] = (not args.untie_embeddings_and_output_weights, tied)
        named = (configuration["model_type"], os.path.basename(above))
        explained = HOW.union(*(EXPLAINED.get(name, {}) for name in named))
        compared = {name: pair for name, pair in pairs.items() if name not in explained}
        other_side = "Megatron-LM's script" if script else "megatron-bridge"
        return len(compared), [f"{name} is {shown(mine)}, {other_side} has {shown(other)}"
                               for name, (mine, other) in sorted(compared.items()) if shown(mine) != shown(other)]


def spelled(value, mine):
    """A JSON value as the option of it is parsed: tuples, and "2" for every second layer."""
    if isinstance(mine, int) and isinstance(value, list):
        return mine if value == [int((i + 1) % mine > 0) for i in range(len(value))] else value
    return tuple(value) if isinstance(mine, tuple) else value


def behind_accelerate(judge, folder):
    """(attributes compared, what differs) of what the plug-in is given and of what our options become; None where a
    plan is refused."""
    plan = read(os.path.join(folder, "accelerate", "plan.json"))
    if plan is None:
        return None
    sys.argv = ["pretrain_gpt.py", *Launch(os.path.join(folder, "launch")).arguments]
    with contextlib.redirect_stdout(io.StringIO()):
        args = vars(judge.arguments.parse_args())
    given = {name: value for name, value in plan["other_megatron_args"].items() if not name.endswith("_parallel_size")}
    return len(given), [f"{name} is {value}, the option makes it {args.get(name, 'unknown')}" for name, value in given.items()
                        if name not in args or spelled(value, args[name]) != args[name]]


def main():
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    with contextlib.redirect_stderr(io.StringIO()):
        judge = Judge()
    failed, folders = 0, sys.argv[1:]  # which the parser's arguments replace
    for folder in folders:
        name = "/".join(folder.split(os.sep)[-2:])
        count, found = judge.differences(folder)
        print(f"equal    {name}: {count} fields" if not found else f"FAILED   {name}: " + "; ".join(found), flush=True)
        failed += bool(found)
        if behind := behind_accelerate(judge, folder):
            count, found = behind
            print(f"given    {name}: {count} attributes behind Accelerate" if not found else
                  f"FAILED   {name} behind Accelerate: " + "; ".join(found), flush=True)
            failed += bool(found)
    if folders and not judge.differences(folders[0], "--norm-epsilon", "0.5")[1]:
        print("FAILED   another epsilon is not noticed")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
