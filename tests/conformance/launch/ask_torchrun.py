#!/usr/bin/env python3
"""Really starts what `dplc emit torchrun` writes: two nodes of two processes on this machine, a stub to train.

Every process has to have the rank that the plan gives it: node rank × processes of a node + local rank where the
rendezvous is static, and under c10d its place within its node. A process that fails once is started again.
Exit status: 0 all as expected, 1 not so, 77 when torch cannot be installed.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from emitting import HERE, command, emit, expect, plan, stand_in



def start(folder, tools, nodes, **variables):
    """Runs start.sh once for each node at the same time; the records of all processes."""
    with tempfile.TemporaryDirectory() as records:
        running = []
        for node in range(nodes):
            own = dict(os.environ, PATH=tools + ":" + os.environ["PATH"], DPL_RECORD=records, NODE_RANK=str(node),
                       MASTER_ADDR="localhost", GLOO_SOCKET_IFNAME="lo", **variables)
            own.pop("OMP_NUM_THREADS", None)
            running.append(subprocess.Popen(["bash", os.path.join(folder, "start.sh"), "behind all"], env=own,
                                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tools))
        for process in running:
            try:
                said = process.communicate(timeout=120)[0]
            except subprocess.TimeoutExpired:
                for other in running:
                    other.kill()
                raise AssertionError("the nodes did not find one another")
            expect(process.returncode == 0, f"start.sh ended with {process.returncode}:\n{said[-3000:]}")
        found = []
        for name in sorted(os.listdir(records)):
            with open(os.path.join(records, name), encoding="utf-8") as file:
                found.append(json.load(file))
        return found


def check(records, fixed):
    """The last start of each of the four processes."""
    seen = [record["environment"] for record in records]
    ranks = sorted(int(env["RANK"]) for env in seen)
    expect(ranks == [0, 1, 2, 3], f"the ranks are {ranks}")
    for record, env in zip(records, seen):
        rank, local, node = int(env["RANK"]), int(env["LOCAL_RANK"]), int(env["GROUP_RANK"])
        expect(rank == node * 2 + local, f"rank {rank} is process {local} of node {node}")
        expect(env["WORLD_SIZE"] == "4" and env["LOCAL_WORLD_SIZE"] == "2", "another world")
        expect(record["arguments"] == ["--steps", "10", "behind all"], f"arguments are {record['arguments']}")
        for name, value in (("NCCL_DEBUG", "WARN"), ("CHECKPOINT_DIR", "/tmp/checkpoints"), ("CHECKPOINT_INTERVAL", "100"),
                            ("CHECKPOINT_KEEP", "3"), ("CHECKPOINT_MODE", "async")):
            expect(env[name] == value, f"{name} is {env.get(name)}")
        if fixed:
            expect(env["NODE_RANK"] == str(node), "a node has another rank than it was given")
            expect(env["MASTER_PORT"] == "29611", f"the port is {env['MASTER_PORT']}")


def test(given):
    work = given.work
    shutil.rmtree(work, ignore_errors=True)
    tools = os.path.join(work, "tools")
    stand_in(tools, "torchrun", f'#!/bin/sh\nexec {given.python} -m torch.distributed.run "$@"\n')
    shutil.copy(os.path.join(HERE, "stub.py"), os.path.join(tools, "train.py"))
    for name, fixed in (("torchrun_static", True), ("torchrun_c10d", False)):
        folder = emit(given.dplc, ["torchrun"], plan(name), os.path.join(work, f"{name} it's \"here\""))
        records = start(folder, tools, 2)
        expect(len(records) == 4, f"{len(records)} processes were started")
        check(records, fixed)
        print(f"started  {name}: 2 nodes × 2 processes, ranks as planned")
    expect(os.path.isdir(os.path.join(tools, "logs of it")), "no logs are kept")
    records = start(os.path.join(work, "torchrun_c10d it's \"here\""), tools, 2,
                    DPL_FAIL_ONCE=os.path.join(tools, "failed"), DPL_FAIL_RANK="0",
                    DPL_WAIT=os.path.join(tools, "again"))
    expect(any(r["environment"]["TORCHELASTIC_RESTART_COUNT"] == "1" for r in records), "nothing was started again")
    check(list({r["environment"]["RANK"]: r for r in sorted(records, key=lambda r: r["process"])}.values()), False)
    print("started  torchrun_c10d: again after a process failed once")


if __name__ == "__main__":
    sys.exit(command(__doc__.splitlines()[0], test, "torch.txt"))
