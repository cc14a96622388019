#!/usr/bin/env python3
"""Has a real Slurm run the array jobs that `dplc emit slurm` writes for a study and a search.

This machine is its one node. submit.sh submits the shards and what merges them; one shard is killed on its way and
started again by Slurm. The results are those of one run, byte for byte.
Exit status: 0 all as expected, 1 not so, 77 when the programs are not there.
"""
import filecmp
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

from emitting import command, expect, plan, stand_in
from slurm_controller import Controller

SHARDS, KILLED = 3, 2
# A task has a CPU and a part of the memory, so that all run at once on however small a machine.
CLUSTER = f"""SlurmdParameters=config_overrides
NodeName=here NodeHostname=localhost NodeAddr=127.0.0.1 CPUs={SHARDS} RealMemory={SHARDS * 100} State=UNKNOWN
PartitionName=cpu Nodes=here Default=YES MaxTime=10 DefMemPerCPU=100 State=UP"""
# The block of the plan that each command shards, and the files of its results.
JOBS = {"study": ("scale", ["points.jsonl", "results.csv", "results.json", "plot.svg"]),
        "search": ("fastest", ["search.csv", "search.json"])}
BAD = {"FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL"}
# dplc, of which one task is killed as by a node that goes down: a study when its first point is kept, a search at once.
ONCE_KILLED = """#!/bin/bash
if [ "${{SLURM_ARRAY_TASK_ID:-}}" = {task} ] && [ -z "${{SLURM_RESTART_COUNT:-}}" ]; then
  {dplc} "$@" & it=$!
  until [ "$1" = search ] || [ "$(wc -l 2>/dev/null <{points})" -gt 1 ] 2>/dev/null; do :; done
  kill -KILL $it
  scontrol requeue "$SLURM_JOB_ID"
  sleep 60
fi
exec {dplc} "$@"
"""


def run_in(folder, *arguments, **options):
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False, timeout=120, **options)
    expect(done.returncode == 0, f"{' '.join(arguments)}:\n{done.stdout}{done.stderr}")
    return done.stdout


def tasks_of(controller, name):
    """State and number of restarts of each task of a job, by its number."""
    shown = controller.run(controller.scontrol, "--oneliner", "show", "jobs").stdout
    found = re.findall(rf"^JobId=(\d+) .*?JobName={re.escape(name)} .*?JobState=(\w+) .*?Restarts=(\d+)", shown, re.M)
    return {number: (state, int(restarts)) for number, state, restarts in found}


def wait(controller, name, ready, folder):
    """Until `ready` says so of the tasks of a job, none of which may fail."""
    for _ in range(900):
        tasks = tasks_of(controller, name)
        if ready(tasks):
            return tasks
        if any(state in BAD for state, _ in tasks.values()):
            break
        time.sleep(0.1)
    said = "".join(open(os.path.join(folder, log), encoding="utf-8").read() for log in sorted(os.listdir(folder))
                   if log.startswith("slurm-"))
    raise AssertionError(f"tasks of {name}: {tasks}\n{said}")


def test(given):
    dplc = os.path.abspath(given.dplc)
    for kind, (name, results) in JOBS.items():
        folder = os.path.join(given.work, "it's \"here\"")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        shutil.copy(plan("slurm_study"), os.path.join(folder, "plan.dpl"))
        if kind == "study":
            run_in(folder, dplc, kind, "plan.dpl", name, "-o", "whole")
        else:
            os.mkdir(os.path.join(folder, "whole"))
            for file in results:
                with open(os.path.join(folder, "whole", file), "w", encoding="utf-8") as whole:
                    whole.write(run_in(folder, dplc, kind, "plan.dpl", name, f"--{file.split('.')[1]}"))
        run_in(folder, dplc, "emit", "slurm", "plan.dpl", f"--{kind}", name, "--array", str(SHARDS), "-o", "the job")
        points = os.path.join(folder, "the job.parts", str(KILLED), "points.jsonl")
        program = stand_in(folder, "once_killed", ONCE_KILLED.format(task=KILLED, dplc=shlex.quote(dplc),
                                                                     points=shlex.quote(points)))
        with Controller(CLUSTER) as controller:
            controller.start_node("here")
            run_in(folder, os.path.join(folder, "the job", "submit.sh"), "--partition=cpu", "--time=5",
                   env=dict(controller.environment, DPLC=program))
            tasks = wait(controller, name, lambda all_: ("PENDING", 1) in all_.values(), folder)
            again = next(number for number, task in tasks.items() if task == ("PENDING", 1))
            # Slurm would leave it alone for two minutes.
            controller.run(controller.scontrol, "update", f"JobId={again}", "StartTime=now")
            wait(controller, name, lambda all_: [state for state, _ in all_.values()] == ["COMPLETED"] * SHARDS, folder)
            wait(controller, f"{name}.merge", lambda all_: list(all_.values()) == [("COMPLETED", 0)], folder)
        for file in results:
            expect(filecmp.cmp(os.path.join(folder, "whole", file), os.path.join(folder, "the job.results", file),
                               shallow=False), f"{file} differs from that of the whole {kind}")
        print(f"equal    {', '.join(results)} of {SHARDS} tasks, one of them started twice, and of the {kind} as a whole")


if __name__ == "__main__":
    sys.exit(command(__doc__.splitlines()[0], test))
