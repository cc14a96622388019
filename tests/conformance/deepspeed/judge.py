"""Lets DeepSpeed itself judge emitted folders: configuration, launcher, groups, stages and engine.

    python judge.py FOLDER... [--refused DPLC] [--damaged FOLDER...]

Runs in the environment that environment.py makes. The plan's side of every comparison is plan.json.
"""
import argparse
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import drawn
import refused
from client import Client, quiet

# Writes its arguments and the environment, as the launcher would hand them on.
DEEPSPEED = """#!/bin/sh
exec python3 - "$@" <<'END'
import json, os, sys
with open(os.environ["DPL_RECORD"], "w", encoding="utf-8") as file:
    json.dump({"arguments": sys.argv[1:], "path": os.environ["PYTHONPATH"]}, file)
END
"""
SCRIPT = ["train me.py", "--name", "$(false) \"it's\""]


class Difference(Exception):
    """DeepSpeed and the plan say different things."""


def same(what, deepspeed, plan):
    if deepspeed != plan:
        raise Difference(f"{what}: DeepSpeed has {str(deepspeed)[:120]}, the plan {str(plan)[:120]}")


def axes_of(plan, grid):
    return {axis["axis"]: (axis["size"], axis["stride"]) for axis in plan[grid]}


def members(rank, factors):
    """The ranks that differ from `rank` in the given (count, stride) digits only, ascending."""
    ranks = [rank]
    for count, stride in factors:
        ranks = [r - (r // stride % count) * stride + i * stride for r in ranks for i in range(count)]
    return sorted(ranks)


def launched(folder):
    """What launch.sh hands to `deepspeed`, run with a stand-in for it."""
    with tempfile.TemporaryDirectory() as scratch:
        stub, record = os.path.join(scratch, "deepspeed"), os.path.join(scratch, "record.json")
        with open(stub, "w", encoding="utf-8") as file:
            file.write(DEEPSPEED)
        os.chmod(stub, 0o755)
        environment = {"PATH": scratch + os.pathsep + os.environ.get("PATH", ""), "HOME": scratch,
                       "DPL_RECORD": record, "NODE_RANK": "0", "MASTER_ADDR": "localhost"}
        done = subprocess.run(["bash", os.path.join(folder, "launch.sh"), *SCRIPT], cwd=scratch, env=environment,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0 or not os.path.exists(record):
            raise AssertionError(f"launch.sh failed: {(done.stderr or done.stdout).strip()}")
        with open(record, encoding="utf-8") as file:
            return json.load(file)


def read_json(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def module_of(folder):
    spec = importlib.util.spec_from_file_location("dpl_layout", os.path.join(folder, "dpl_layout.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Judge:
    def __init__(self):
        self.client = Client()

    def judge(self, folder):
        """One line of praise, or an exception that says what is wrong."""
        folder = os.path.abspath(folder)
        plan, config = read_json(folder, "plan.json"), self.config(folder)
        self.launch(folder, plan)
        world = plan["devices"]
        ranks = sorted({0, world - 1, random.Random(plan["hash"]).randrange(world)} if world <= 4096 else {0})
        for rank in ranks:
            with self.client.world(rank, world):
                self.rank(folder, plan, config, rank)
        size = plan["parallel"]
        experts = f" ep{size['expert']}" if plan["model"]["experts"] else ""
        return (f"{world} ranks: tp{size['tensor']} sp{size['context']} dp{size['data']} pp{size['pipeline']}{experts}, "
                f"ZeRO {plan['zero_stage']}, {plan['batch']['micro_batches']} micro-batches, groups of {len(ranks)} ranks")

    def config(self, folder):
        """The file as DeepSpeed reads it: duplicate keys are refused."""
        from deepspeed.runtime.tensor_parallel.init_utils import load_ds_config

        return load_ds_config(os.path.join(folder, "ds_config.json"))

    def launch(self, folder, plan):
        """The command line as the launcher parses it, and the hosts."""
        from deepspeed.launcher import runner

        seen = launched(folder)
        given = runner.parse_args(seen["arguments"])
        with quiet():
            hosts = runner.fetch_hostfile(given.hostfile)
            active = runner.parse_inclusion_exclusion(hosts, given.include, given.exclude)
        same("nodes", len(active), plan["nodes"])
        same("processes that the launcher starts", sum(map(len, active.values())), plan["devices"])
        same("processes of a node", {len(slots) for slots in active.values()}, {plan["gpus_per_node"]})
        same("node rank", (given.no_ssh, given.node_rank, given.master_addr), (True, 0, "localhost"))
        same("training script", given.user_script, SCRIPT[0])
        same("arguments of the script", given.user_args,
             [*SCRIPT[1:], "--deepspeed", "--deepspeed_config", os.path.join(folder, "ds_config.json")])
        same("path of dpl_layout", seen["path"].split(os.pathsep)[0], folder)

    def rank(self, folder, plan, config, rank):
        size, model = plan["parallel"], plan["model"]
        shape = {"layers": model["layers"], "heads": model.get("heads", 8), "kv_heads": model.get("kv_heads", 8),
                 "experts": model["experts"], "active": model.get("active", 1), "expert": size.get("expert", 1),
                 "tensor": size["tensor"], "expert_tensor": size.get("expert_tensor", 1),
                 "ends": model["kind"] != "layer_list"}
        layout = module_of(folder)
        arguments, mpu = layout.pipeline(), layout.mpu()
        engine = self.client.engine(config, self.client.model(shape, arguments), mpu)
        same("keys of ds_config.json that DeepSpeed never reads", set(config) - engine.keys_read, {"_comment"})
        self.sizes(engine, plan)
        if arguments:
            same("stages", list(engine.module.parts), plan["pipeline"]["parts"])
            stages = [c["layers"] + c["embedding"] + c["head"] for c in plan["placement"]]
            same("layers of stages", [b - a for a, b in zip(engine.module.parts, engine.module.parts[1:])], stages)
        if size["context"] > 1:
            self.client.ulysses(shape, model["context"], self.client.sequence.get_sequence_parallel_group())
        self.groups(engine, plan, rank)

    def sizes(self, engine, plan):
        folded = plan["parallel"]["tensor"] > 1 and plan["parallel"]["pipeline"] == 1 and plan["model"]["experts"]
        batch = plan["batch"]
        wrong = plan["parallel"]["tensor"] if folded else 1
        same("global batch", engine.train_batch_size(), batch["global"] * wrong)
        same("micro-batch", engine.train_micro_batch_size_per_gpu(), batch["micro"])
        same("micro-batches", engine.gradient_accumulation_steps(), batch["micro_batches"])
        same("ZeRO stage", int(engine.zero_optimization_stage()), plan["zero_stage"])
        if plan["recompute"]["kind"] == "full" and plan["recompute"]["method"] == "uniform" \
                and plan["parallel"]["pipeline"] > 1:
            same("recomputed layers", engine.module.activation_checkpoint_interval, plan["recompute"]["layers"])

    def groups(self, engine, plan, rank):
        """The groups of one rank against the strides of the plan's axes."""
        size, dense, experts = plan["parallel"], axes_of(plan, "mesh"), axes_of(plan, "expert_mesh")
        ranks_of, groups = self.client.distributed.get_process_group_ranks, self.client.groups
        pairs = [("data", ranks_of(engine.seq_data_parallel_group), dense, ["replica", "data", "context"])]
        if size["pipeline"] > 1:
            grid = engine.grid
            pairs += [("pipeline", grid.pp_group, dense, ["pipeline"]),
                      ("model", list(grid.slice_group), dense, ["tensor"])]
        elif size["tensor"] > 1:
            pairs.append(("tensor", ranks_of(groups.get_tensor_model_parallel_group()), dense, ["tensor"]))
        if size["context"] > 1:
            pairs.append(("sequence", ranks_of(self.client.sequence.get_sequence_parallel_group()), dense, ["context"]))
        if experts:
            name = f"ep_size_{size['expert']}"
            pairs += [("expert", ranks_of(groups._get_expert_parallel_group(name)), experts, ["expert"]),
                      ("expert data", ranks_of(groups._get_expert_data_parallel_group(name)), experts,
                       ["replica", "expert_data"])]
        for name, found, grid, axes in pairs:
            same(f"{name} group of rank {rank}", sorted(found), members(rank, [grid[a] for a in axes]))


def verdict_on(judge, folder):
    """(accepted, one line) for a folder; DeepSpeed reports by assert, ValueError and more."""
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
    judges = f"DeepSpeed {judge.client.deepspeed.__version__}"
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
        wrong += refused.run(drawn.Judge(judge.client), given.refused)
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
