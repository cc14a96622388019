#!/usr/bin/env python3
"""Runs the emitted scripts with stand-ins for the launchers; names and values in the plan are hostile.

Whatever a variable, an argument, a path or an image holds has to arrive byte for byte, and nothing of it may be
carried out. Needs bash and python3 only.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import hostile
from emitting import HERE, command, emit, expect, stand_in

# Each writes what it was called with, a JSON line a call.
RECORDER = """#!/usr/bin/env python3
import json, os, sys
with open(os.environ["DPL_CALLS"], "a", encoding="utf-8") as file:
    file.write(json.dumps({"program": os.path.basename(sys.argv[0]), "arguments": sys.argv[1:],
                           "folder": os.getcwd(), "environment": dict(os.environ)}) + "\\n")
"""
# These go on with the task that they were given.
SRUN = RECORDER + """
task = sys.argv[sys.argv.index("bash"):]
for node in range(2):
    code = os.spawnvpe(os.P_WAIT, task[0], task, dict(os.environ, SLURM_NODEID=str(node)))
    if code:
        sys.exit(code)
"""
MPIRUN = RECORDER + """
at = next(i for i, word in enumerate(sys.argv) if word.endswith("/task.sh"))
count = int(sys.argv[sys.argv.index("-np") + 1])
for rank in range(count):
    code = os.spawnve(os.P_WAIT, sys.argv[at], sys.argv[at:], dict(os.environ, OMPI_COMM_WORLD_RANK=str(rank),
                      OMPI_COMM_WORLD_SIZE=str(count)))
    if code:
        sys.exit(code)
"""
SCONTROL = """#!/usr/bin/env python3
import os, sys
if sys.argv[1:3] == ["show", "hostnames"]:
    print("head\\nsecond")
elif sys.argv[1:3] == ["show", "job"]:
    print("JobId=1 JobName=x\\n   Command=" + os.environ["DPL_SCRIPT"] + "\\n   WorkDir=/")
else:
    with open(os.environ["DPL_CALLS"] + ".requeued", "a") as file:
        file.write(" ".join(sys.argv[1:]) + "\\n")
"""

# A torchrun that starts its process when it is allowed to, and ends well where that is ended by a signal.
LATE = """#!/usr/bin/env python3
import os, subprocess, sys, time
open(os.environ["DPL_CALLS"] + ".begun", "w").close()
while not os.path.exists(os.environ["DPL_CALLS"] + ".told"):
    time.sleep(0.01)
sys.exit(0 if subprocess.run(["sleep", "60"]).returncode < 0 else 1)
"""


class Place:
    """A folder with stand-ins, where a script is run."""

    def __init__(self, folder):
        self.folder, self.tools = folder, os.path.join(folder, "tools")
        self.calls_file = os.path.join(folder, "calls")
        for name, text in (("torchrun", RECORDER), ("srun", SRUN), ("mpirun", MPIRUN), ("scontrol", SCONTROL)):
            stand_in(self.tools, name, text)
        stand_in(self.tools, "a program.py", RECORDER)

    def run(self, script, *arguments, **variables):
        """The calls of the stand-ins, in their order."""
        for name in ("calls", "HURT"):
            if os.path.exists(os.path.join(self.folder, name)):
                os.remove(os.path.join(self.folder, name))
        own = dict(PATH=self.tools + ":" + os.environ["PATH"], HOME="/root", DPL_CALLS=self.calls_file,
                   DPL_SCRIPT=script, SLURM_JOB_ID="1", SLURM_JOB_NODELIST="head,second", **variables)
        done = subprocess.run([script, *arguments], env=own, cwd=self.folder, capture_output=True, text=True,
                              check=False)
        expect(done.returncode == 0, f"{script} ended with {done.returncode}: {done.stderr}")
        expect(not os.path.exists(os.path.join(self.folder, "HURT")) and
               not os.path.exists(os.path.join(hostile.PATH, "HURT")), "a value of the plan was carried out")
        with open(self.calls_file, encoding="utf-8") as file:
            return [json.loads(line) for line in file]


def check_values(call, words):
    for name, value in hostile.environment().items():
        expect(call["environment"].get(name) == value, f"{name} arrives as {call['environment'].get(name)!r}")
    expect(call["environment"]["DATA_PATH"] == hostile.PATH, "another DATA_PATH")
    expect(call["environment"]["CHECKPOINT_DIR"] == hostile.TEXTS["quotes"], "another CHECKPOINT_DIR")
    expect(call["environment"]["CHECKPOINT_INTERVAL"] == "7", "another CHECKPOINT_INTERVAL")
    expect(call["folder"] == hostile.PATH, f"it runs in {call['folder']}")
    expect(call["arguments"][-len(words):] == words, f"arguments arrive as {call['arguments']}")


def case(dplc, work, name, via, script, framework, *lines, nodes=2):
    """Emits and runs one plan; the calls of what was to be started, and all calls."""
    source = os.path.join(work, name + ".dpl")
    with open(source, "w", encoding="utf-8") as file:
        file.write(hostile.source(via, f"working_dir = {hostile.literal(hostile.PATH)}", *lines, framework=framework,
                                  nodes=nodes))
    launcher = via.split()[0]
    folder = emit(dplc, ["megatron", launcher] if framework else [launcher], source,
                  os.path.join(work, f"{name} it's \"here\" $(touch HURT) é"))
    place = Place(os.path.join(work, name))
    words = [*hostile.TEXTS.values(), "behind all"]
    if framework:
        stand_in(os.path.join(folder, "megatron"), "launch.sh", RECORDER)
        calls = place.run(os.path.join(folder, launcher, script), "behind all", NODE_RANK="0", MASTER_ADDR="head",
                          HOSTFILE=os.path.join(place.tools, "hosts"))
        started = [call for call in calls if call["program"] == "launch.sh"]
    else:
        words = ["./a program.py", hostile.TEXTS["commands"], *words]
        calls = place.run(os.path.join(folder, script), "behind all", NODE_RANK="0", MASTER_ADDR="head",
                          HOSTFILE=os.path.join(place.tools, "hosts"))
        started = [call for call in calls if call["program"] == "torchrun"]
    for call in started:
        check_values(call, words)
    print(f"arrived  {name}: {len(words)} words, {len(hostile.environment())} variables, {len(started)} starts")
    return started, calls


def catches(process, number):
    """Whether a process has a handler of this signal, by /proc."""
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
        mask = next(line.split()[1] for line in file if line.startswith("SigCgt:"))
    return int(mask, 16) >> number - 1 & 1 == 1


def told_early(script, folder):
    """A job that is told before torchrun has started anything ends its processes when they are there."""
    tools, calls = os.path.join(folder, "tools"), os.path.join(folder, "calls")
    stand_in(tools, "torchrun", LATE)
    own = dict(PATH=tools + ":" + os.environ["PATH"], DPL_CALLS=calls, NODE_RANK="0", MASTER_ADDR="head",
               MEGATRON_PATH=folder)
    process = subprocess.Popen(["bash", script], env=own, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (os.path.exists(calls + ".begun") and catches(process, signal.SIGUSR1)):
        time.sleep(0.01)
    process.send_signal(signal.SIGUSR1)
    time.sleep(0.2)  # so that it looks for processes once in vain
    open(calls + ".told", "w", encoding="utf-8").close()
    expect(process.wait() == 143, f"{script}, told before there is a process, ended with {process.returncode}")
    print("told     before there is a process: ends with 143")


def test(given):
    work = given.work
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    os.makedirs(hostile.PATH, exist_ok=True)
    try:
        for framework in (True, False):
            suffix = "framework" if framework else "program"
            started, _ = case(given.dplc, work, f"torchrun_{suffix}",
                              f"torchrun {{ log_dir = {hostile.literal(hostile.PATH)} }}", "start.sh", framework,
                              "grace_period = 1min")
            expect(len(started) == 1 and started[0]["environment"]["PET_LOG_DIR"] == hostile.PATH, "another log folder")
            started, _ = case(given.dplc, work, f"c10d_{suffix}", "torchrun { rendezvous = c10d }", "start.sh", framework)
            expect(started[0]["environment"]["PET_RDZV_ENDPOINT"] == "head:29500", "another rendezvous")
            started, calls = case(
                given.dplc, work, f"slurm_{suffix}", 'slurm { partition = "p", time = 1h }', "job.sbatch", framework,
                f"container {{ image = {hostile.literal(hostile.TEXTS['quotes'])} }}",
                f"mount[{hostile.literal('/data' + hostile.PATH)}] = {hostile.literal(hostile.PATH)}",
                "max_restarts = 1", "grace_period = 1min")
            step = next(call for call in calls if call["program"] == "srun")["arguments"]
            expect(f"--container-image={hostile.TEXTS['quotes']}" in step, "another image")
            mounts = next(word for word in step if word.startswith("--container-mounts="))
            expect(mounts.endswith(f",{hostile.PATH}:/data{hostile.PATH}"), f"mounts are {mounts}")
            expect([call["environment"]["NODE_RANK"] for call in started] == ["0", "1"], "other node ranks")
            expect(started[0]["environment"]["MASTER_ADDR"] == "head", "another head")
        source = os.path.join(os.path.dirname(HERE), "pytorch", "plans", "pipeline_data.dpl")  # it has a `grace_period`
        folder = emit(given.dplc, ["pytorch", "torchrun"], source, os.path.join(work, "told"))
        told_early(os.path.join(folder, "pytorch", "launch.sh"), folder)
        started, _ = case(given.dplc, work, "mpirun_framework", "mpirun", "start.sh", True, nodes=1)
        expect(len(started) == 1, "a framework is started once a node")
    finally:
        shutil.rmtree(hostile.PATH, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(command(__doc__.splitlines()[0], test))
