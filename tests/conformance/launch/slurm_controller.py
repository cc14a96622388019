"""A real Slurm controller on ports of its own, for the tests that ask one.

munged and slurmctld of Debian's `slurm-wlm munge`, and a slurmd where jobs are to run. Needs root, as slurmctld asks
munged who calls.
"""
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from emitting import Skipped, need


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
SlurmdPidFile={folder}/slurmd.pid
SlurmdLogFile={folder}/slurmd.log
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
{cluster}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Controller:
    """munged and slurmctld of one cluster, whose lines of slurm.conf are given, ended with the `with` block."""

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
        self.configuration = os.path.join(self.folder, "slurm.conf")
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(host=socket.gethostname(), port=free_port(), slurmd=free_port(),
                                            folder=self.folder, cluster=cluster))
        self.environment = dict(os.environ, SLURM_CONF=self.configuration)
        try:
            self.start([munged, "--foreground", "--force", f"--key-file={key}",
                        f"--socket={self.folder}/munge.sock", f"--pid-file={self.folder}/munged.pid",
                        f"--seed-file={self.folder}/seed"])
            self.wait(lambda: os.path.exists(f"{self.folder}/munge.sock"), "munged")
            self.start([slurmctld, "-D", "-f", self.configuration])
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

    def start_node(self, name):
        """This machine as that node, so that jobs run."""
        (slurmd,) = need("slurmd")
        self.start([slurmd, "-D", "-N", name, "-f", self.configuration])
        self.wait(lambda: "State=IDLE" in self.run(self.scontrol, "show", "node", name).stdout, "slurmd")

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
