#!/usr/bin/env python3
"""Asks a real Slurm controller whether it takes what `dplc emit slurm` writes.

Starts munged and slurmctld of Debian's `slurm-wlm munge` on ports of their own, with the emitted slurm.conf
behind a few lines that every controller needs. No node has to exist: State=CLOUD makes the controller plan
with nodes that never registered. Needs root, as slurmctld asks munged who calls.
Exit status: 0 all as expected, 1 not so, 77 when the programs are not there.
"""
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from emitting import Skipped, command, emit, expect, need, plan

CONFIGURATION = """ClusterName=dplc
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={slurmd}
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.sock
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
ProctrackType=proctrack/linuxproc
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=600
MpiDefault=none
EnforcePartLimits=ALL
NodeName=DEFAULT State=CLOUD
include {cluster}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Controller:
    """munged and slurmctld of one cluster, ended with the `with` block."""

    def __init__(self, cluster):
        self.sbatch, self.scontrol, slurmctld, munged = need("sbatch", "scontrol", "slurmctld", "munged")
        if os.geteuid() != 0:
            raise Skipped("slurmctld needs root")
        self.folder = tempfile.mkdtemp(prefix="dplc-slurm-")
        self.processes = []
        os.chmod(self.folder, 0o755)
        os.mkdir(os.path.join(self.folder, "state"))
        key = os.path.join(self.folder, "key")
        with open(key, "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(key, 0o600)
        path = os.path.join(self.folder, "slurm.conf")
        shutil.copy(cluster, os.path.join(self.folder, "cluster.conf"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(host=socket.gethostname(), port=free_port(), slurmd=free_port(),
                                            folder=self.folder, cluster=f"{self.folder}/cluster.conf"))
        self.environment = dict(os.environ, SLURM_CONF=path)
        try:
            self.start([munged, "--foreground", "--force", f"--key-file={key}",
                        f"--socket={self.folder}/munge.sock", f"--pid-file={self.folder}/munged.pid",
                        f"--seed-file={self.folder}/seed"])
            self.wait(lambda: os.path.exists(f"{self.folder}/munge.sock"), "munged")
            self.start([slurmctld, "-D", "-f", path])
            self.wait(lambda: self.run(self.scontrol, "ping").returncode == 0, "slurmctld")
        except BaseException:
            self.close()
            raise

    def start(self, command):
        log = open(os.path.join(self.folder, "log"), "ab")
        self.processes.append(subprocess.Popen(command, stdout=log, stderr=log, env=self.environment))

    def wait(self, ready, what):
        for _ in range(150):
            if ready():
                return
            if self.processes[-1].poll() is not None:
                break
            time.sleep(0.1)
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as file:
            raise AssertionError(f"{what} did not start:\n{file.read()[-2000:]}")

    def run(self, *command, **options):
        return subprocess.run(command, capture_output=True, text=True, env=self.environment, check=False,
                              timeout=60, **options)

    def test(self, script, *options):
        """Whether the job is taken, and what was said."""
        done = self.run(self.sbatch, "--test-only", *options, script)
        return done.returncode == 0, (done.stderr + done.stdout).strip()

    def close(self):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


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
    with Controller(os.path.join(os.path.dirname(script), "slurm.conf")) as controller:
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
