"""Lets PyTorch judge emitted modules without starting them: meshes, process groups, stages and schedules.

    python judge.py FOLDER... [--damaged FOLDER...]

Runs in the environment that environment.py makes, on a process group without processes. The plan's side of every
comparison is report.json and plan.ir, which conform.py puts into the folder. start.py really starts modules, by torchrun.
"""
import importlib.util
import os
import re
import sys

import device
import judging
import refused
from judging import CHECKPOINTS, axes_of, launched, members, read_json, same

SCHEDULES = {"1f1b": "Schedule1F1B", "gpipe": "ScheduleGPipe", "interleaved_1f1b": "ScheduleInterleaved1F1B",
             "looped_bfs": "ScheduleLoopedBFS", "interleaved_zb": "ScheduleInterleavedZeroBubble",
             "zb_v": "ScheduleZBVZeroBubble", "dualpipe_v": "ScheduleDualPipeV"}
TABLE = "_PipelineScheduleRuntime"  # of all others, whose order stands in schedule.csv
KINDS = {"forward": "F", "paired_forward": "F", "backward": "B", "backward_input": "I", "backward_weight": "W"}
DENSE = {"pipeline": ["pipeline"], "replica": ["replica"], "data": ["data"], "context": ["context"],
         "tensor": ["tensor"], "gradients": ["replica", "data", "context"]}
EXPERTS = {"expert_data": ["expert_data"], "expert": ["expert"], "expert_tensor": ["expert_tensor"],
           "exchange": ["expert", "expert_tensor"], "expert_gradients": ["replica", "expert_data"]}


def module_of(folder):
    spec = importlib.util.spec_from_file_location("dpl_module", os.path.join(folder, "train.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def factors_of(report, routed):
    """The (size, stride) factors of each group that has more than one rank."""
    mesh, groups = report["mesh"], {}
    for grid, names in (("axes", DENSE), ("expert_axes", EXPERTS)):
        if not mesh.get(grid) or grid == "expert_axes" and not routed:
            continue
        axes = axes_of(mesh, grid)
        groups.update({name: [axes[a] for a in parts if axes[a][0] > 1] for name, parts in names.items()})
    if routed and not mesh.get("expert_axes"):  # every rank has all experts
        axes = axes_of(mesh, "axes")
        groups["expert_gradients"] = [axes[a] for a in ("replica", "data", "context", "tensor") if axes[a][0] > 1]
    return {name: factors for name, factors in groups.items() if factors}


class Judge:
    def __init__(self):
        import torch
        import torch._dynamo  # torch.optim asks for it later, when this process has forked
        import torch.distributed
        import torch.distributed.pipelining  # noqa: F401  what the modules import
        from torch.testing._internal.distributed.fake_pg import FakeStore

        device.stand_in(torch)
        self.torch, self.distributed, self.FakeStore = torch, torch.distributed, FakeStore

    def judge(self, folder):
        """One line of praise, or an exception that says what is wrong."""
        report, module = read_json(folder, "report.json"), module_of(folder)
        with open(os.path.join(folder, "plan.ir"), encoding="utf-8") as file:
            plan = file.read()
        report["schedule"] = re.search(r"^    schedule = (\w+)$", plan, re.MULTILINE)[1]
        # What each pipeline rank runs: kind, chunk, micro-batch.
        report["passes"] = [
            [(KINDS[kind], int(chunk), int(batch)) for kind, chunk, batch in re.findall(
                r"action \{ kind = (\w+), chunk = (\d+), micro_batch = (\d+),", rank) if kind in KINDS]
            for rank in re.split(r"^  rank \{$", plan, flags=re.MULTILINE)[1:]]
        mesh = report["mesh"]
        self.launch(folder, report)
        factors = factors_of(report, any(s["expert_parameters"] for s in report["stages"]))
        first_of_stages = {members(0, [axes_of(mesh, "axes")["pipeline"]])[s["rank"]] for s in report["stages"]}
        every = judging.ranks_of({"devices": mesh["devices"], "hash": report["plan"]["hash"]})
        for rank in sorted({*every, *first_of_stages}):
            self.distributed.init_process_group("fake", store=self.FakeStore(), rank=rank, world_size=mesh["devices"])
            try:
                groups = module.make_groups("cpu")
                found = {name: sorted(self.distributed.get_process_group_ranks(group))
                         for name, group in groups.items()}
                same(f"groups of rank {rank}", found, {name: members(rank, f) for name, f in factors.items()})
                if rank in first_of_stages:
                    self.stages(module, module.Trainer(groups, self.torch.device("cpu")), report, rank)
            finally:
                self.distributed.destroy_process_group()
        sizes = " ".join(f"{a['axis']}{a['size']}" for a in mesh["axes"] + (mesh.get("expert_axes") or [])
                         if a["size"] > 1)
        return f"{mesh['devices']} ranks: {sizes}, {len(factors)} groups, {len(report['stages'])} chunks"

    def launch(self, folder, report):
        seen = launched(folder, "torchrun", ("--steps", "2"))["arguments"]
        value = {name: seen[seen.index(name) + 1] for name in ("--nnodes", "--nproc-per-node")}
        same("processes that launch.sh starts", int(value["--nnodes"]) * int(value["--nproc-per-node"]),
             report["mesh"]["devices"])
        same("what it starts", seen[-3:], [os.path.join(folder, "train.py"), "--steps", "2"])
        seen = launched(folder, "torchrun", ("--checkpoint-keep", "5"), **CHECKPOINTS)["arguments"]
        same("checkpoints", seen[seen.index(os.path.join(folder, "train.py")) + 1:], [
            *(f"--checkpoint-{name.split('_')[1].lower()}={value}" for name, value in CHECKPOINTS.items()),
            "--checkpoint-keep", "5"])

    def stages(self, module, trainer, report, rank):
        """The chunks of this rank, each run forwards and backwards once, and its schedule."""
        size, stride = axes_of(report["mesh"], "axes")["pipeline"]
        mine = [(index, s) for index, s in enumerate(report["stages"]) if s["rank"] == rank // stride % size]
        same(f"chunks of rank {rank}", len(trainer.parts), len(mine))
        for part, (_, stage) in zip(trainer.parts, mine):
            same(f"layers of rank {rank}", (len(part.attention), part.embedding is not None, part.head is not None),
                 (stage["layers"], stage["embedding"], stage["head"]))
            tokens = module.SEQUENCE // axes_of(report["mesh"], "axes")["context"][0]
            shape = (module.MICRO_BATCH, tokens)
            part(self.torch.zeros(shape, dtype=self.torch.long) if stage["embedding"] else
                 self.torch.zeros((*shape, module.HIDDEN), dtype=self.torch.float64)).sum().backward()
        if size == 1:
            return
        schedule = trainer.schedule
        name = SCHEDULES.get(report["schedule"], TABLE)
        same("schedule", type(schedule).__name__, name)
        batches = report["mesh"]["micro_batches"]
        same("micro-batches", schedule._n_microbatches, batches if name == TABLE else min(batches, 2 * size))
        stages = schedule._stages if hasattr(schedule, "_stages") else [schedule._stage]
        same(f"stages of rank {rank}", [s.stage_index for s in stages], [index for index, _ in mine])
        if len(mine) > 1 or name == TABLE:  # another schedule of one chunk prints an order, and runs by another loop
            steps = [step for a in schedule.pipeline_order[rank // stride % size] if a is not None
                     for step in (a.sub_actions or (a,)) if step.microbatch_index is not None]
            passes = [(a.computation_type.value, a.stage_index, a.microbatch_index) for a in steps]
            same(f"forwards of rank {rank}", sorted(p[1:] for p in passes if p[0] == "F"),
                 sorted((index, m) for index, _ in mine for m in range(schedule._n_microbatches)))
            if schedule._n_microbatches == report["mesh"]["micro_batches"]:  # else the module has fewer
                same(f"passes of rank {rank}", passes,
                     [(kind, mine[chunk][0], m) for kind, chunk, m in report["passes"][rank // stride % size]])


def make():
    judge = Judge()
    return f"PyTorch {judge.torch.__version__}", judge.judge, lambda dplc: refused.run(judge, dplc)


if __name__ == "__main__":
    sys.exit(judging.main(make))
