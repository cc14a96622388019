"""Lets torchtitan itself judge emitted folders: configuration, meshes, stages, schedule, optimizers.

    python judge.py FOLDER... [--refused DPLC] [--damaged FOLDER...]

Runs in the environment of one release. The plan's side of every comparison is report.json, which conform.py puts
into the folder beside what `dplc emit` wrote. `--refused` compares Flavors.def with the package too, and asks
both sides about the first of agree.py's layouts.
"""
import importlib.metadata
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import agree  # noqa: E402
import flavors  # noqa: E402
import judging  # noqa: E402
import layouts  # noqa: E402
import refused  # noqa: E402
from client import Client, isolated  # noqa: E402
from judging import Difference, members, read_json, same  # noqa: E402
from launcher import CHECKPOINTS, Launch  # noqa: E402

DRAWN = 40  # of the thousand of `agree.py --count 1000`
EVERY_RANK = 16  # of larger worlds the first, the last and some between are asked
EVERY_STAGE = 4  # of longer pipelines the ends and one between
MESHES = {  # torchtitan's mesh: the plan's axes
    "pp": ("pipeline",), "dp_replicate": ("replica",), "cp": ("context",), "tp": ("tensor",),
    "batch": ("replica", "data"), "dp": ("replica", "data"), "loss": ("replica", "data", "context")}
EXPERT_MESHES = {"ep": ("expert",), "efsdp": ("expert_data",), "etp": ("expert_tensor",)}


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

    def ranks(self):
        """The ranks whose groups are compared."""
        if self.devices <= EVERY_RANK:
            return range(self.devices)
        return judging.ranks_of({"devices": self.devices, "hash": self.hash}, EVERY_RANK)

    def stage_ranks(self):
        """A rank on each pipeline stage that is compared."""
        size, stride = self.axes.get("pipeline", (1, 1))
        stages = range(size) if size <= EVERY_STAGE else (0, size // 2, size - 1)
        return [stage * stride for stage in stages]


class Judge:
    def __init__(self, client):
        self.client = client

    def judge(self, folder):
        """One line of praise, or an exception that says what is wrong."""
        plan, launch = Plan(read_json(folder, "report.json")), Launch(folder)
        same("processes that launch.sh starts", launch.world, plan.devices)
        if "PYTHONPATH" in launch.environment:
            sys.path.insert(0, launch.environment["PYTHONPATH"])
        config = self.client.configure(launch.arguments)
        if "PYTHONPATH" in launch.environment:
            sys.path.pop(0)
        same("tokenizer", config.model.hf_assets_path if self.client.old else config.hf_assets_path,
             "a folder/of the $(tokenizer)")
        saved = config.checkpoint
        same("checkpoints", (saved.enable, saved.folder, saved.interval, saved.keep_latest_k, saved.async_mode),
             (True, CHECKPOINTS["CHECKPOINT_DIR"], 250, 2, "async"))  # it keeps no fewer than 2
        loader = config.training.dataloader if self.client.old else config.dataloader
        same("loader", (loader.num_workers, loader.prefetch_factor), (3, 4))
        ranks, stage_ranks = plan.ranks(), plan.stage_ranks()
        for rank in stage_ranks:
            said = isolated(self.build, config, plan, rank)  # a second Trainer would find the first one's meshes
            if said is not None:
                raise Difference(said.removeprefix("Difference: "))
        for rank in ranks:
            with self.client.world(plan.devices, rank):
                self.groups(self.client.dimensions(config, plan.devices), plan, rank)
        degrees = " ".join(f"{name}{size}" for name, (size, _) in (plan.axes | plan.experts).items() if size > 1)
        return (f"{plan.devices} ranks: {degrees}, {plan.micro_batches} micro-batches, groups of {len(ranks)} ranks, "
                f"{len(stage_ranks)} stages built")

    def build(self, config, plan, rank):
        """What the Trainer of a rank makes of stages and batches; what is wrong with it, or None."""
        with self.client.world(plan.devices, rank):
            trainer = self.client.trainer(config)
            same("parameters in the memory of the host", config.training.enable_cpu_offload,
                 plan.figures["memory.rank[0].parameters"] == 0)
            self.stages(trainer, plan, rank)
            self.batches(trainer, config, plan)
            if config.parallelism.pipeline_parallel_schedule_csv:
                self.order(trainer, config.parallelism.pipeline_parallel_schedule_csv)

    def groups(self, dimensions, plan, rank):
        """Every mesh that torchtitan makes, against the strides of the plan."""
        import torch.distributed as distributed
        dimensions.build_mesh()
        meshes = dict(MESHES, fsdp=("data", "context"), dp_shard=("data",))
        if dimensions.dp_shard == 1:
            meshes.update(dp_replicate=("replica", "data"), fsdp=("context",), dp_shard=())
        if plan.experts and plan.size("expert") > 1:
            meshes.update(EXPERT_MESHES)
            if dimensions.dp_shard == 1:  # what shards experts is less than the plan's axis
                del meshes["efsdp"]
        made, compared = dimensions._meshes if self.client.old else dimensions._single_axis_meshes, 0
        for name, axes in meshes.items():
            mesh = dimensions.get_optional_mesh(name) if name in made else None
            if mesh is None:
                continue
            found = distributed.get_process_group_ranks(mesh.get_group())
            grid = plan.experts if name in EXPERT_MESHES else plan.axes
            same(f"group {name} of rank {rank}", sorted(found), members(rank, [grid[a] for a in axes if a in grid]))
            compared += 1
        if plan.devices > 1 and not compared:
            raise Difference(f"no group of rank {rank} could be compared")

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
            for name, layer in part.layers.named_children():
                same(f"whether layer {name} is recomputed", hasattr(layer, "_checkpoint_wrapped_module"),
                     plan.figures["recomputed_share"] > 0)
            same(f"embedding on {where}", part.tok_embeddings is not None, stage["embedding"])
            same(f"head on {where}", part.norm is not None, stage["head"])

    @staticmethod
    def order(trainer, table):
        """That torchtitan runs the table, each rank the stages that it has."""
        with open(table, encoding="utf-8") as file:
            rows = dict(enumerate(line.rstrip("\n").split(",") for line in file))
        schedule = trainer.pp_schedule
        same("passes", {r: [repr(a) for a in row] for r, row in schedule.pipeline_order.items()}, rows)
        same("stages of the table", schedule.stage_index_to_group_rank,
             {int(re.match(r"\d+", a)[0]): r for r, row in rows.items() for a in row})
        same("stages of the rank", {s.stage_index for s in schedule._stages},
             {i for i, r in schedule.stage_index_to_group_rank.items() if r == schedule._stages[0].group_rank})

    @staticmethod
    def batches(trainer, config, plan):
        same("sequences a step", config.training.global_batch_size, plan.figures["sequences_per_step"])
        if plan.size("pipeline") > 1:
            same("gradient accumulation", trainer.gradient_accumulation_steps, 1)
            same("micro-batches", trainer.pp_schedule._n_microbatches, plan.micro_batches)
        else:
            same("gradient accumulation", trainer.gradient_accumulation_steps, plan.micro_batches)


def make():
    release, client = importlib.metadata.version("torchtitan"), Client()
    table = os.path.join(HERE, "../../../backends/torchtitan/Flavors.def")

    def ask(dplc):
        judge = agree.Judge(client)
        return flavors.compare(table, release) + refused.run(release, dplc, judge) + sum(
            agree.run(release, judge, asked, 1, dplc)
            for asked in (layouts.draws(DRAWN, 1, release), layouts.backwards_in_two()))

    return f"torchtitan {release}", Judge(client).judge, ask


if __name__ == "__main__":
    sys.exit(judging.main(make))
