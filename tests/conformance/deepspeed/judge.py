"""Lets DeepSpeed itself judge emitted folders: configuration, launcher, groups, stages and engine.

    python judge.py FOLDER... [--refused DPLC] [--damaged FOLDER...]

Runs in the environment that environment.py makes. The plan's side of every comparison is plan.json. `--refused` asks
both sides about the first of agree.py's layouts, too.
"""
import importlib.util
import os
import sys

import agree
import drawn
import judging
import refused
from client import Client
from judging import CHECKPOINTS, SCRIPT, axes_of, launched, members, quiet, read_json, same

DRAWN = 80  # of the thousand of `agree.py --count 1000`


def module_of(folder):
    spec = importlib.util.spec_from_file_location("dpl_layout", os.path.join(folder, "dpl_layout.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Judge:
    def __init__(self, client):
        self.client = client

    def judge(self, folder):
        """One line of praise, or an exception that says what is wrong."""
        folder = os.path.abspath(folder)
        plan, config = read_json(folder, "plan.json"), self.config(folder)
        self.launch(folder, plan)
        world = plan["devices"]
        ranks = judging.ranks_of(plan)
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

        seen = launched(folder, "deepspeed", **CHECKPOINTS)
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
        same("checkpoints", {name: seen["variables"].get(name) for name in CHECKPOINTS}, CHECKPOINTS)
        same("path of dpl_layout", seen["variables"]["PYTHONPATH"].split(os.pathsep)[0], folder)

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
        away = plan.get("offload", {"optimizer": False, "parameters": False})
        same("optimizer of the host", engine.zero_cpu_offload(), away["optimizer"])
        same("parameters in the memory of the host", engine.zero_offload_param() is not None, away["parameters"])
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


def make():
    client = Client()

    def ask(dplc):
        judge = drawn.Judge(client)
        return refused.run(judge, dplc) + agree.run(judge, DRAWN, 1, dplc)

    return f"DeepSpeed {client.deepspeed.__version__}", Judge(client).judge, ask


if __name__ == "__main__":
    sys.exit(judging.main(make))
