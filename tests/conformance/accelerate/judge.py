"""Lets Accelerate itself judge emitted folders: configuration, launcher, plug-ins, mesh.

    python judge.py FOLDER... [--refused DPLC] [--damaged FOLDER...]

Runs in the environment that environment.py makes. The plan's side of every comparison is plan.json. `--refused` asks
both sides about the first of agree.py's layouts, too.
"""
import importlib.metadata
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "deepspeed"))

import agree  # noqa: E402
import client as deepspeed  # noqa: E402  ../deepspeed/client.py
import judging  # noqa: E402
import refused  # noqa: E402
from framework import Client  # noqa: E402
from judging import CHECKPOINTS, SCRIPT, axes_of, launched, members, read_json, same  # noqa: E402

DRAWN = 120  # of the thousand of `agree.py --count 1000`


class Judge:
    def __init__(self, client):
        self.client = client

    def judge(self, folder):
        """One line of praise, or an exception that says what is wrong."""
        folder = os.path.abspath(folder)
        plan = read_json(folder, "plan.json")
        seen = launched(folder, "accelerate", **CHECKPOINTS)
        same("command", seen["arguments"][0], "launch")
        given, defaults, variables = self.client.parse(seen["arguments"][1:])
        variables.update({name: value for name, value in seen["variables"].items() if "ACCELERATE" in name})
        same("checkpoints", {name: seen["variables"].get(name) for name in CHECKPOINTS}, CHECKPOINTS)
        same("settings that the launcher does not read", self.client.known(defaults), [])
        same("training script", given.training_script, SCRIPT[0])
        same("arguments of the script", given.training_script_args, SCRIPT[1:])
        same("processes", given.num_processes, plan["devices"])
        same("nodes", given.num_machines, plan["nodes"])
        same("node rank", (int(given.machine_rank), given.main_process_ip), (0, "localhost"))
        kind = defaults.distributed_type.value
        world = plan["devices"]
        for rank in judging.ranks_of(plan):
            with self.client.world(variables, rank, world):
                made = self.client.accelerator(kind, variables, world)
                engine = getattr(self, kind.lower())(plan, made, variables)
                self.groups(plan, made, rank)
                if engine:
                    self.groups_of_engine(plan, engine, rank)
        size = plan["parallel"]
        return (f"{kind}, {world} ranks: tp{size['tensor']} cp{size['context']} dp{size['replica']}x{size['data']} "
                f"pp{size['pipeline']} ep{size['expert']}, {plan['batch']['micro_batches']} micro-batches")

    def accumulation(self, plan, variables):
        same("micro-batches", int(variables["ACCELERATE_GRADIENT_ACCUMULATION_STEPS"]), plan["batch"]["micro_batches"])

    def no(self, plan, made, variables):
        self.accumulation(plan, variables)

    def multi_gpu(self, plan, made, variables):
        self.accumulation(plan, variables)
        same("data parallel size", plan["devices"], plan["parallel"]["replica"] * plan["parallel"]["data"])

    def fsdp(self, plan, made, variables):
        self.accumulation(plan, variables)
        same("FSDP", made.plug_in.fsdp_version, 2)
        same("ZeRO stage", 3, plan["zero_stage"])
        full = plan["recompute"] == {"kind": "full", "method": "uniform", "layers": 1}
        same("recomputation", made.plug_in.activation_checkpointing, full)
        size = plan["parallel"]
        if made.parallelism is None:
            same("other axes", size["replica"] * size["context"] * size["tensor"], 1)
        else:
            mesh = made.parallelism
            same("mesh", (mesh.dp_replicate_size, mesh.dp_shard_size, mesh.cp_size, mesh.tp_size),
                 (size["replica"], size["data"], size["context"], size["tensor"]))

    def deepspeed(self, plan, made, variables):
        size, model, mpu = plan["parallel"], plan["model"], None
        shape = {"layers": model["layers"], "heads": model.get("heads", 8), "kv_heads": model.get("kv_heads", 8),
                 "experts": 0, "active": 1, "tensor": 1}
        engine_client = self.client.deepspeed
        if size["context"] > 1:  # as accelerator.py does through register_with_transformers
            same("sequence parallel size", made.parallelism.sp_size, size["context"])
            engine_client.sequence.initialize_sequence_parallel(made.parallelism.sp_size)
            mpu = engine_client.sequence
        engine = engine_client.engine(self.client.engine_config(made), engine_client.model(shape), mpu)
        same("global batch", engine.train_batch_size(), plan["batch"]["global"])
        same("micro-batch", engine.train_micro_batch_size_per_gpu(), plan["batch"]["micro"])
        same("micro-batches", engine.gradient_accumulation_steps(), plan["batch"]["micro_batches"])
        same("ZeRO stage", int(engine.zero_optimization_stage()), plan["zero_stage"])
        return engine

    def megatron_lm(self, plan, made, variables):
        size, given = plan["parallel"], made.plug_in
        given.set_training_args(plan["batch"]["micro"], size["replica"] * size["data"])
        options = given.megatron_lm_default_args
        same("sizes", [options[name] for name in (
            "tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size",
            "expert_model_parallel_size")], [size["tensor"], size["pipeline"], size["context"], size["expert"]])
        same("global batch", options["global_batch_size"], plan["batch"]["global"])
        same("micro-batches", options["num_micro_batches"], plan["batch"]["micro_batches"])
        same("sharded optimizer", options["use_distributed_optimizer"], plan["zero_stage"] == 1)
        same("recomputation", (options["recompute_granularity"], options["recompute_method"],
                               options["recompute_num_layers"]),
             tuple(plan["recompute"][name] for name in ("kind", "method", "layers")))
        layers = [chunk["layers"] for chunk in plan["placement"]]
        last = options["decoder_last_pipeline_num_layers"]
        rest = plan["model"]["layers"] - (last or 0)
        stages = size["pipeline"] - (last is not None)
        placed = [rest // stages] * stages + ([last] if last is not None else [])
        same("layers of stages", (rest % stages, placed), (0, layers))

    def groups_of_engine(self, plan, engine, rank):
        """DeepSpeed's groups of one rank."""
        axes, ranks_of = axes_of(plan, "mesh"), self.client.distributed.get_process_group_ranks
        same(f"data group of rank {rank}", sorted(ranks_of(engine.seq_data_parallel_group)),
             members(rank, [axes["replica"], axes["data"], axes["context"]]))
        if axes["context"][0] > 1:
            group = self.client.deepspeed.sequence.get_sequence_parallel_group()
            same(f"sequence group of rank {rank}", sorted(ranks_of(group)), members(rank, [axes["context"]]))

    def groups(self, plan, made, rank):
        """The groups of one rank in Accelerate's mesh against the strides of the plan's axes."""
        if made.mesh is None:
            return
        axes = axes_of(plan, "mesh")
        for name, mine in (("dp_replicate", "replica"), ("dp_shard", "data"), ("cp", "context"), ("tp", "tensor")):
            if name in made.mesh.mesh_dim_names:
                found = self.client.distributed.get_process_group_ranks(made.mesh[name].get_group())
                same(f"{name} group of rank {rank}", sorted(found), members(rank, [axes[mine]]))
            else:
                same(f"size of {name}", 1, axes[mine][0])


def make():
    client = Client(deepspeed.Client())
    return (f"Accelerate {importlib.metadata.version('accelerate')}", Judge(client).judge,
            lambda dplc: refused.run(client, dplc) + agree.run(client, DRAWN, 1, dplc))


if __name__ == "__main__":
    sys.exit(judging.main(make))
