#!/usr/bin/env python3
"""Asks a real Slurm controller whether it takes what `dplc emit slurm` writes.

The controller has the emitted slurm.conf behind a few lines that every one needs. No node has to exist: State=CLOUD
makes it plan with nodes that never registered.
Exit status: 0 all as expected, 1 not so, 77 when the programs are not there.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys

from emitting import command, emit, expect, plan
from slurm_controller import Controller


def option(script, name):
    with open(script, encoding="utf-8") as file:
        found = re.search(rf"^#SBATCH --{name}=(\S+)$", file.read(), re.M)
    return found.group(1) if found else None


def wrongs(script):
    """Changes to the job that the cluster cannot hold, each with what our own rule for it says."""
    gpus = option(script, "gpus-per-node")
    kind, _, count = gpus.rpartition(":")
    head = kind + ":" if kind else ""
    return {
        "a node too many": ["--nodes", str(int(option(script, "nodes")) + 1)],
        "a GPU too many": [f"--gpus-per-node={head}{int(count) + 1}"],
        "another type of GPU": [f"--gpus-per-node=nosuch:{count}"],
        "a type of GPU that is no name (S23)": [f"--gpus-per-node=no such:{count}"],
        "CPUs beyond the node (S24)": [f"--cpus-per-task={int(option(script, 'cpus-per-task')) + 256}"],
        "memory beyond the node (S25)": ["--mem=9000000M"],
        "another partition (S22)": ["--partition=no such"],
        "more time than the partition gives": ["--time=365-00:00:00"],
    }


def held_job(controller, script, folder):
    """What the controller says of the job when it is submitted and held: field to value."""
    done = controller.run(controller.sbatch, "--hold", "--parsable", script, cwd=folder)
    expect(done.returncode == 0, f"sbatch refused {script}: {done.stderr}")
    number = done.stdout.strip().split(";")[0]
    shown = controller.run(controller.scontrol, "show", "job", number).stdout
    fields = dict(re.findall(r"(\w+)=(.*?)(?= \w+=|$)", re.sub(r"\s*\n *", " ", shown)))
    return number, shown, fields


def judge(dplc, source, work, *options):
    name = os.path.splitext(os.path.basename(source))[0]
    targets = ["slurm"] if "program" in name else ["megatron", "slurm"]
    # A folder with blanks and quotes: a job has to find the files beside it all the same.
    folder = emit(dplc, targets, source, os.path.join(work, f"{name} it's \"here\""), *options)
    script = os.path.join(folder, "slurm" if len(targets) > 1 else "", "job.sbatch")
    cluster = shutil.copy(os.path.join(os.path.dirname(script), "slurm.conf"), work)
    with Controller(f"NodeName=DEFAULT State=CLOUD\ninclude {cluster}") as controller:
        taken, said = controller.test(script)
        expect(taken, f"{source}: Slurm refuses the job: {said}")
        print(f"taken    {name}: {said.splitlines()[-1][:100]}")
        for what, change in wrongs(script).items():
            taken, said = controller.test(script, *change)
            expect(not taken, f"{source}: Slurm takes {what}")
            print(f"refused  {name}, {what}: {said.splitlines()[-1][:100]}")
        if "container" in name:
            number, shown, fields = held_job(controller, script, work)
            expect(fields["JobName"] == "llama nightly #3", f"the job's name is {fields['JobName']}")
            expect(fields["Account"] == "llm", f"the account is {fields['Account']}")
            expect(fields["Requeue"] == "1", "the job is not requeued")
            check_origin(controller, script, number)
            print(f"held     {name}: name, account and place of the script arrive as written")


def check_origin(controller, script, number):
    """The line of the script that asks where it came from, run with the real scontrol."""
    with open(script, encoding="utf-8") as file:
        line = next(line for line in file if line.startswith("here="))
    environment = dict(controller.environment, SLURM_JOB_ID=number)
    where = subprocess.run(["bash", "-c", line + 'printf %s "$here"'], env=environment, capture_output=True,
                           text=True, check=True).stdout
    expect(where == os.path.dirname(script), f"the job looks for its files in {shlex.quote(where)}")


def test(given):
    work = given.work
    judge(given.dplc, plan("slurm_container"), work)
    judge(given.dplc, plan("slurm_program"), work)
    if given.example:
        judge(given.dplc, given.example, work, "--layout", "pretrain")


if __name__ == "__main__":
    sys.exit(command(__doc__.splitlines()[0], test, example=True))
