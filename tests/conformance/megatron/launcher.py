"""Runs an emitted launch.sh with a stand-in for torchrun and tells what it would have started."""
import json
import os
import subprocess
import tempfile

# Writes its arguments and the environment, as torchrun would hand them on.
TORCHRUN = """#!/bin/sh
exec python3 - "$@" <<'END'
import json, os, sys
with open(os.environ["DPL_RECORD"], "w", encoding="utf-8") as file:
    json.dump({"arguments": sys.argv[1:], "environment": dict(os.environ)}, file)
END
"""


class Launch:
    """What one node would run: processes, script, the script's arguments and the environment.

    Of a launch script, or of the one in a folder that was emitted.
    """

    def __init__(self, path):
        script = os.path.abspath(os.path.join(path, "launch.sh") if os.path.isdir(path) else path)
        with tempfile.TemporaryDirectory() as scratch:
            stub = os.path.join(scratch, "torchrun")
            with open(stub, "w", encoding="utf-8") as file:
                file.write(TORCHRUN)
            os.chmod(stub, 0o755)
            megatron = os.path.join(scratch, "Megatron-LM")
            os.mkdir(megatron)
            with open(os.path.join(megatron, "pretrain_gpt.py"), "w", encoding="utf-8"):
                pass
            record = os.path.join(scratch, "record.json")
            environment = {
                "PATH": scratch + os.pathsep + os.environ.get("PATH", ""), "HOME": scratch,
                "DPL_RECORD": record, "MEGATRON_PATH": megatron, "NODE_RANK": "0",
                "MASTER_ADDR": "localhost", "CUDA_DEVICE_MAX_CONNECTIONS": "7"}
            done = subprocess.run(["bash", script], cwd=scratch,
                                  env=environment, capture_output=True, text=True, check=False)
            if done.returncode != 0 or not os.path.exists(record):
                raise AssertionError(f"{script} failed: {(done.stderr or done.stdout).strip()}")
            with open(record, encoding="utf-8") as file:
                seen = json.load(file)
        self.environment = seen["environment"]
        self.options, rest = {}, list(seen["arguments"])
        while rest and rest[0].startswith("--"):
            name, value = rest.pop(0), rest.pop(0)
            self.options[name.replace("_", "-")] = value
        if not rest:
            raise AssertionError(f"{script} names no script")
        self.script, self.arguments = os.path.basename(rest[0]), rest[1:]

    @property
    def world(self):
        return int(self.options["--nnodes"]) * int(self.options["--nproc-per-node"])


def tokens_of(folder):
    """The tokens of arguments.txt: one a line, lines that begin with '#' are comments."""
    with open(os.path.join(folder, "arguments.txt"), encoding="utf-8") as file:
        return [line for line in file.read().splitlines() if line and not line.startswith("#")]
