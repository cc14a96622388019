"""Runs an emitted launch.sh with a stand-in for torchrun and tells what it would have started."""
import os
import subprocess
import tempfile

# Writes its arguments and the environment, as torchrun would hand them on; no Python, which takes 0.1 s to start.
TORCHRUN = """#!/bin/sh
printf '%s\\0' "$@" > "$DPL_RECORD.arguments"
env -0 > "$DPL_RECORD.environment"
"""

LOADER = {"DATA_WORKERS": "3", "DATA_PREFETCH": "4"}
# What a job says of checkpoints, by the contract of docs/targets/launchers.md.
CHECKPOINTS = {"CHECKPOINT_DIR": "the $(saved) \"ones\"", "CHECKPOINT_INTERVAL": "250", "CHECKPOINT_KEEP": "1",
               "CHECKPOINT_MODE": "async"}


def _words(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\0")[:-1]


class Launch:
    """What one node would run: processes, the module and its arguments, and the environment."""

    def __init__(self, folder, *arguments):
        with tempfile.TemporaryDirectory() as scratch:
            stub = os.path.join(scratch, "torchrun")
            with open(stub, "w", encoding="utf-8") as file:
                file.write(TORCHRUN)
            os.chmod(stub, 0o755)
            record = os.path.join(scratch, "record")
            environment = {"PATH": scratch + os.pathsep + os.environ.get("PATH", ""), "HOME": scratch,
                           "DPL_RECORD": record, "NODE_RANK": "0", "MASTER_ADDR": "localhost",
                           "HF_ASSETS_PATH": "a folder/of the $(tokenizer)", **CHECKPOINTS, **LOADER}
            script = os.path.join(os.path.abspath(folder), "launch.sh")
            done = subprocess.run(["bash", script, *arguments], cwd=scratch, env=environment,
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0 or not os.path.exists(record + ".environment"):
                raise AssertionError(f"launch.sh failed: {(done.stderr or done.stdout).strip()}")
            self.environment = dict(word.split("=", 1) for word in _words(record + ".environment"))
            rest = _words(record + ".arguments")
        self.options = {}
        while rest and rest[0].startswith("--"):
            name, value = rest.pop(0), rest.pop(0)
            self.options[name] = value
        if rest[:2] != ["-m", "torchtitan.train"]:
            raise AssertionError(f"launch.sh starts {rest[:2]}")
        self.arguments = rest[2:]

    @property
    def world(self):
        return int(self.options["--nnodes"]) * int(self.options["--nproc-per-node"])
