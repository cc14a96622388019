#!/usr/bin/env python3
"""Really starts what `dplc emit mpirun` writes with Open MPI: two nodes of two processes on this machine.

The host file that the plan's names make is replaced by one in which this machine has the slots of both. Every process has to
have the rank that the plan gives it. Exit status: 0 all as expected, 1 not so, 77 without Open MPI.
"""
import json
import os
import shutil
import subprocess
import sys

from emitting import HERE, command, emit, expect, need, plan, stand_in


def start(script, records, tools, hosts, **variables):
    """Runs start.sh; what each process recorded."""
    shutil.rmtree(records, ignore_errors=True)
    os.makedirs(records)
    own = dict(os.environ, PATH=tools + ":" + os.environ["PATH"], DPL_RECORD=records, HOSTFILE=hosts,
               OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **variables)
    done = subprocess.run(["bash", script, "behind all"], env=own, capture_output=True, text=True, timeout=120,
                          cwd=tools, check=False)
    expect(done.returncode == 0, f"start.sh ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    found = []
    for name in sorted(os.listdir(records)):
        with open(os.path.join(records, name), encoding="utf-8") as file:
            found.append(json.load(file))
    return found


def test(given):
    work = given.work
    shutil.rmtree(work, ignore_errors=True)
    tools, records = os.path.join(work, "tools"), os.path.join(work, "records")
    os.makedirs(tools)
    shutil.copy(os.path.join(HERE, "stub.py"), os.path.join(tools, "train.py"))
    hosts = os.path.join(work, "hosts")
    with open(hosts, "w", encoding="utf-8") as file:
        file.write("# the plan's nodes\nlocalhost slots=4\n")
    need("mpirun")
    folder = emit(given.dplc, ["mpirun"], plan("mpirun_hosts"), os.path.join(work, "it's \"here\""))
    with open(os.path.join(folder, "hostfile"), encoding="utf-8") as file:
        named = [line for line in file.read().splitlines() if not line.startswith("#")]
    expect(named == ["gpu-a slots=2", "gpu-b slots=2"], f"the host file has {named}")
    found = start(os.path.join(folder, "start.sh"), records, tools, hosts)
    ranks = sorted(int(record["environment"]["RANK"]) for record in found)
    expect(ranks == [0, 1, 2, 3], f"the ranks are {ranks}")
    for record in found:
        env = record["environment"]
        rank = int(env["RANK"])
        expect((int(env["NODE_RANK"]), int(env["LOCAL_RANK"])) == divmod(rank, 2), f"rank {rank} is elsewhere")
        expect(env["WORLD_SIZE"] == "4" and env["LOCAL_WORLD_SIZE"] == "2", "another world")
        expect(env["MASTER_ADDR"] == "localhost" and env["MASTER_PORT"] == "29613", "another meeting place")
        expect(record["arguments"] == ["--steps", "10", "behind all"], f"arguments are {record['arguments']}")
        expect(env["CHECKPOINT_INTERVAL"] == "100", "no checkpoint interval")
    print("started  mpirun_hosts: 4 processes, ranks as planned")
    # Of one rank, since mpirun ends the others before they have failed.
    found = start(os.path.join(folder, "start.sh"), records, tools, hosts,
                  DPL_FAIL_ONCE=os.path.join(tools, "failed"), DPL_FAIL_RANK="0")
    expect(len(found) >= 5, "the job was not started again")
    print("started  mpirun_hosts: again after it failed once")
    # A framework is started once a node.
    folder = emit(given.dplc, ["megatron", "mpirun"], plan("mpirun_hosts"), os.path.join(work, "framework"),
                  "--set", "launch.program=[]", "--set", "layout.schedule=1f1b", "--set",
                  'launch.arguments=["--tokenizer-type", "NullTokenizer", "--lr", "1", "--train-iters", "9"]')
    stand_in(os.path.join(folder, "megatron"), "launch.sh", '#!/bin/sh\nexec python3 train.py "$@"\n')
    found = start(os.path.join(folder, "mpirun", "start.sh"), records, tools, hosts)
    nodes = sorted(record["environment"]["NODE_RANK"] for record in found)
    expect(nodes == ["0", "1"], f"the framework was started for the nodes {nodes}")
    print("started  mpirun_hosts with a framework: once a node")


if __name__ == "__main__":
    sys.exit(command(__doc__.splitlines()[0], test))
