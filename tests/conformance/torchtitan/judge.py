"""Lets torchtitan itself judge emitted folders: configuration, meshes, stages, schedule, optimizers.

    python judge.py FOLDER...

Runs in the environment of one release. The plan's side of every comparison is report.json, which conform.py puts
into the folder beside what `dplc emit` wrote.
"""
import json
import os
import random
import sys
import time

from client import Client, isolated
from launcher import Launch

SAMPLED_RANKS = 3
MESHES = {  # torchtitan's mesh: the plan's axes, slowest first
    "pp": ("pipeline",), "dp_replicate": ("replica",), "cp": ("context",), "tp": ("tensor",),
    "batch": ("replica", "data"), "loss": ("replica", "data", "context")}
EXPERT_MESHES = {"ep": ("expert",), "efsdp": ("expert_data",), "etp": ("expert_tensor",)}


class Difference(Exception):
    """torchtitan and the plan say different things."""


def same(what, torchtitan, plan):
    if torchtitan != plan:
        raise Difference(f"{what}: torchtitan has {str(torchtitan)[:120]}, the plan {str(plan)[:120]}")


def members(rank, axes):
    """The ranks that differ from `rank` in the coordinates of these (size, stride) axes, slowest first."""
    ranks = [rank - sum(rank // stride % size * stride for size, stride in axes)]
    for size, stride in axes:
        ranks = [r + i * stride for r in ranks for i in range(size)]
    return ranks


class Plan:
    def __init__(self, report):
        mesh = report["mesh"]
        self.devices, self.micro_batches = report["cluster"]["devices"], mesh["micro_batches"]
        self.axes = {a["axis"]: (a["size"], a["stride"]) for a in mesh["axes"]}
        self.experts = {a["axis"]: (a["size"], a["stride"]) for a in mesh.get("expert_axes") or []}
        self.stages = report["stages"]
        self.figures = {name: figure["value"] for name, figure in report["figures"].items()}
        self.hash = report["plan"]["hash"]

    def size(self, axis):
        return (self.axes | self.experts).get(axis, (1, 1))[0]


class Judge:
    def __init__(self):
        self.client = Client()

    def answer(self, folder):
        try:
            return "accepted", self.judge(folder)
        except (Exception, SystemExit) as error:  # whatever torchtitan raises is an answer
            return "REFUSED", f"{type(error).__name__}: {' '.join(str(error).split())[:400]}"

    def judge(self, folder):
        """One line of praise, or an exception that says what is wrong."""
        with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
            plan = Plan(json.load(file))
        launch = Launch(folder)
        same("processes that launch.sh starts", launch.world, plan.devices)
        if "PYTHONPATH" in launch.environment:
            sys.path.insert(0, launch.environment["PYTHONPATH"])
        config = self.client.configure(launch.arguments)
        if "PYTHONPATH" in launch.environment:
            sys.path.pop(0)
        same("tokenizer", config.model.hf_assets_path if self.client.old else config.hf_assets_path,
             "a folder/of the $(tokenizer)")
        ranks = self.sample(plan)
        for rank in ranks:
            with self.client.world(launch.world, rank):
                self.groups(self.client.dimensions(config, launch.world), plan, rank)
        stages = 0
        for rank in ranks[:1]:
            with self.client.world(launch.world, rank):
                trainer = self.client.trainer(config)
                stages = self.stages(trainer, plan, rank)
                self.batches(trainer, config, plan)
        degrees = " ".join(f"{name}{size}" for name, (size, _) in (plan.axes | plan.experts).items() if size > 1)
        return f"{launch.world} ranks: {degrees}, {plan.micro_batches} micro-batches, {stages} stages on a rank"

    @staticmethod
    def sample(plan):
        draw = random.Random(plan.hash)
        return sorted({draw.randrange(plan.devices) for _ in range(SAMPLED_RANKS - 1)} | {plan.devices - 1})

    def groups(self, dimensions, plan, rank):
        """Every mesh that torchtitan makes, against the strides of the plan."""
        import torch.distributed as distributed
        dimensions.build_mesh()
        meshes = dict(MESHES, fsdp=("data", "context"))
        if dimensions.dp_shard == 1:
            meshes.update(dp_replicate=("replica", "data"), fsdp=("context",))
        if plan.experts and plan.size("expert") > 1:
            meshes.update(EXPERT_MESHES)
            if dimensions.dp_shard == 1:  # what shards experts is less than the plan's axis
                del meshes["efsdp"]
        for name, axes in meshes.items():
            if name not in (dimensions._meshes if self.client.old else dimensions._single_axis_meshes):
                continue
            mesh = dimensions.get_optional_mesh(name)
            if mesh is None:
                continue
            found = distributed.get_process_group_ranks(mesh.get_group())
            grid = plan.experts if name in EXPERT_MESHES else plan.axes
            same(f"group {name} of rank {rank}", sorted(found),
                 sorted(members(rank, [grid[a] for a in axes if a in grid])))

    @staticmethod
    def stages(trainer, plan, rank):
        """The layers of this rank's model parts, in the order of the model."""
        size, stride = plan.axes.get("pipeline", (1, 1))
        mine = [s for s in plan.stages if s["rank"] == rank // stride % size]
        same("model parts of a rank", len(trainer.model_parts), len(mine))
        for part, stage in zip(trainer.model_parts, mine):
            first, where = stage["first_layer"], f"rank {stage['rank']}, chunk {stage['chunk']}"
            same(f"layers of {where}", [int(name) for name, _ in part.layers.named_children()],
                 list(range(first, first + stage["layers"])))
            same(f"embedding on {where}", part.tok_embeddings is not None, stage["embedding"])
            same(f"head on {where}", part.norm is not None, stage["head"])
        return len(mine)

    @staticmethod
    def batches(trainer, config, plan):
        same("sequences a step", config.training.global_batch_size, plan.figures["layout.batch"])
        if plan.size("pipeline") > 1:
            same("gradient accumulation", trainer.gradient_accumulation_steps, 1)
            same("micro-batches", trainer.pp_schedule._n_microbatches, plan.micro_batches)
        else:
            same("gradient accumulation", trainer.gradient_accumulation_steps, plan.micro_batches)


def main():
    judge, wrong, begin = Judge(), 0, time.monotonic()
    for folder in sys.argv[1:]:
        start = time.monotonic()
        word, says = isolated(judge.answer, folder)
        wrong += word != "accepted"
        print(f"{word:8} {os.path.basename(folder)}: {says} ({time.monotonic() - start:.1f} s)", flush=True)
    print(f"-- {len(sys.argv) - 1} folders judged in {time.monotonic() - begin:.1f} s, {wrong} refused")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
