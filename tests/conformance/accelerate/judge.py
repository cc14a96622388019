"""Lets Accelerate itself judge emitted folders: configuration, launcher, plug-ins, mesh.

    python judge.py FOLDER... [--refused DPLC] [--damaged FOLDER...]

Runs in the environment that environment.py makes. The plan's side of every comparison is plan.json.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "deepspeed"))

import client as deepspeed  # noqa: E402  ../deepspeed/client.py
import refused  # noqa: E402
from framework import Client  # noqa: E402

# Writes its arguments and variables, as the launcher would see them.
ACCELERATE = """#!/bin/sh
exec python3 - "$@" <<'END'
import json, os, sys
with open(os.environ["DPL_RECORD"], "w", encoding="utf-8") as file:
    json.dump({"arguments": sys.argv[1:], "variables": {k: v for k, v in os.environ.items() if "ACCELERATE" in k}}, file)
END
"""
SCRIPT = ["train me.py", "--name", "$(false) \"it's\""]


class Difference(Exception):
    """Accelerate and the plan say different things."""


def same(what, accelerate, plan):
    if accelerate != plan:
        raise Difference(f"{what}: Accelerate has {str(accelerate)[:120]}, the plan {str(plan)[:120]}")


def members(rank, factors):
    """The ranks that differ from `rank` in the given (count, stride) digits only, ascending."""
    ranks = [rank]
    for count, stride in factors:
        ranks = [r - (r // stride % count) * stride + i * stride for r in ranks for i in range(count)]
    return sorted(ranks)


def launched(folder):
    """What launch.sh hands to `accelerate`, run with a stand-in for it."""
    with tempfile.TemporaryDirectory() as scratch:
        stub, record = os.path.join(scratch, "accelerate"), os.path.join(scratch, "record.json")
        with open(stub, "w", encoding="utf-8") as file:
            file.write(ACCELERATE)
        os.chmod(stub, 0o755)
        variables = {"PATH": scratch + os.pathsep + os.environ.get("PATH", ""), "HOME": scratch,
                     "DPL_RECORD": record, "NODE_RANK": "0", "MASTER_ADDR": "localhost"}
        done = subprocess.run(["bash", os.path.join(folder, "launch.sh"), *SCRIPT], cwd=scratch, env=variables,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0 or not os.path.exists(record):
            raise AssertionError(f"launch.sh failed: {(done.stderr or done.stdout).strip()}")
        with open(record, encoding="utf-8") as file:
            return json.load(file)


class Judge:
    def __init__(self):
        self.client = Client(deepspeed.Client())

    def judge(self, folder):
        """One line of praise, or an exception that says what is wrong."""
        folder = os.path.abspath(folder)
        with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
            plan = json.load(file)
        seen = launched(folder)
        same("command", seen["arguments"][0], "launch")
        given, defaults, variables = self.client.parse(seen["arguments"][1:])
        variables = {**variables, **seen["variables"]}
        same("settings that the launcher does not read", self.client.known(defaults), [])
        same("training script", given.training_script, SCRIPT[0])
        same("arguments of the script", given.training_script_args, SCRIPT[1:])
        same("processes", given.num_processes, plan["devices"])
        same("nodes", given.num_machines, plan["nodes"])
        same("node rank", (int(given.machine_rank), given.main_process_ip), (0, "localhost"))
        kind = defaults.distributed_type.value
        world = plan["devices"]
        for rank in sorted({0, world - 1, random.Random(plan["hash"]).randrange(world)}):
            with self.client.world(variables, rank, world):
                made = self.client.accelerator(kind, variables, world)
                getattr(self, kind.lower())(plan, made, variables)
                self.groups(plan, made, rank)
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

    def groups(self, plan, made, rank):
        """The groups of one rank in Accelerate's mesh against the strides of the plan's axes."""
        if made.mesh is None:
            return
        axes = {axis["axis"]: (axis["size"], axis["stride"]) for axis in plan["mesh"]}
        for name, mine in (("dp_replicate", "replica"), ("dp_shard", "data"), ("cp", "context"), ("tp", "tensor")):
            if name in made.mesh.mesh_dim_names:
                found = self.client.distributed.get_process_group_ranks(made.mesh[name].get_group())
                same(f"{name} group of rank {rank}", sorted(found), members(rank, [axes[mine]]))
            else:
                same(f"size of {name}", 1, axes[mine][0])


def verdict_on(judge, folder):
    """(accepted, one line) for a folder."""
    try:
        return True, judge.judge(folder)
    except (Exception, SystemExit) as error:
        return False, f"{type(error).__name__}: {' '.join(str(error).split()) or 'no message'}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folders", nargs="*")
    options.add_argument("--damaged", nargs="*", default=[], help="folders that have to be refused")
    options.add_argument("--refused", metavar="DPLC", help="the layouts of refused.py have to be refused by both")
    given = options.parse_args()
    begin = time.monotonic()
    judge = Judge()
    from importlib.metadata import version
    judges = f"Accelerate {version('accelerate')}"
    print(f"-- {judges} loaded in {time.monotonic() - begin:.1f} s", flush=True)
    wrong = 0
    for folder in given.folders + given.damaged:
        start = time.monotonic()
        accepted, says = verdict_on(judge, folder)
        damaged = folder in given.damaged
        wrong += accepted == damaged
        word = ("MISSED" if accepted else "refused") if damaged else ("ok" if accepted else "FAILED")
        name = os.path.basename(os.path.normpath(folder))
        print(f"{word:8} {name}: {says} ({time.monotonic() - start:.1f} s)", flush=True)
    print(f"-- {len(given.folders)} folders and {len(given.damaged)} damaged ones judged by {judges} in "
          f"{time.monotonic() - begin:.1f} s, {wrong} not as they should", flush=True)
    if given.refused:
        wrong += refused.run(judge.client, given.refused)
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
