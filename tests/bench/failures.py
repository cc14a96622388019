"""Commands of which something fails that a system gives: memory, room, processes. Each ends in one message.

    failures.py DPLC [EVERY]

Of ten commands every EVERY-th (1) allocation fails once, in a process of its own (FailEach.c). Each such process ends
with exit status 3 and one error, or does without. Then memory is limited in steps, processes to one, and what is
written goes to a full device, to pipes that nobody reads and to devices. Nothing that was there is replaced, and no
folder is left half written.
"""
import os
import resource
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ('{"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 2, "n_positions": 64, "vocab_size": 128}')
FILES = {
    "plan.dpl": "import std.models\nimport std.clusters\nlayout plan for models.gpt2_small on clusters.dgx_h100 {\n"
                "  batch = 64seq\n  mesh { data = 4, tensor = 2 }\n}\n"
                "study few for plan { vary { plan.batch in [64seq, 128seq] }, outputs = [step_time] }\n",
    "other.dpl": "import std.models\nimport std.clusters\nlayout plan for models.gpt2_small on clusters.dgx_h100 {\n"
                 "  batch = 64seq\n  mesh { data = 8 }\n}\n",
    "wrong.dpl": "import std.models\nlet a = 1 +\nmodel m from models.nothing { hiden = 3 }\n",
    "config.json": CONFIG,
    "run.sh": "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 8 --hidden-size 512 --num-attention-heads 8 "
              "--seq-length 512 --max-position-embeddings 512 --micro-batch-size 1 --global-batch-size 8 "
              "--vocab-size 32000 --bf16\n",
}
COMMANDS = [
    ["check", "plan.dpl"],
    ["check", "wrong.dpl"],
    ["report", "plan.dpl", "--json"],
    ["report", "plan.dpl", "--svg", "-"],
    ["diff", "plan.dpl", "other.dpl"],
    ["ir", "plan.dpl"],
    ["fmt", "--check", "plan.dpl"],
    ["import", "hf", "config.json"],
    ["import", "megatron", "run.sh"],
    ["emit", "megatron", "plan.dpl", "--dry-run"],
]
# Commands that write a file, without the name of the output.
WRITERS = [
    ["report", "plan.dpl", "--svg"],
    ["report", "plan.dpl", "--memory", "--svg"],
    ["simulate", "plan.dpl", "--steps", "2", "--critical-path", "--svg"],
    ["import", "hf", "config.json", "-o"],
    ["new"],
]
FOLDERS = [["emit", "megatron", "plan.dpl", "-o"], ["study", "plan.dpl", "-o"]]
wrong = []


def fault(command, what):
    wrong.append(f"{' '.join(command)}: {what}")
    print(wrong[-1], flush=True)


def errors(said):
    return [line for line in said.splitlines() if line.startswith("error[")]


def fresh():
    folder = Path(tempfile.mkdtemp(prefix="dplc-failures-"))
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def run(dplc, command, folder, limit=None, **streams):
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.run([dplc, *command], cwd=folder, timeout=60, preexec_fn=limit, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, **streams)


def allocations(dplc, every):
    folder = fresh()
    shim, report = folder / "fail.so", folder / "report"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", shim, ROOT / "tests/bench/FailEach.c"], check=True)
    for command in COMMANDS:
        report.write_text("")
        environment = os.environ | {"LD_PRELOAD": str(shim), "FAIL_EVERY": str(every), "FAIL_REPORT": str(report)}
        subprocess.run([dplc, *command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = report.read_text(errors="replace").splitlines()
        ends = [line for line in lines if line.startswith("end: ")]
        if not ends:
            fault(command, "nothing was tried: a program without shared libraries takes no allocator")
        for line in lines:
            if not line.startswith("end: ") and line.startswith("allocation"):
                fault(command, line)
        print(f"{' '.join(command)}: {''.join(ends)}", flush=True)


def folders(dplc):
    """A folder is the old one or the new one, whichever allocation of its writer fails; a later run clears what is left."""
    folder = fresh()
    shim = folder / "fail.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", shim, ROOT / "tests/bench/FailEach.c"], check=True)

    def held(name):
        return {str(path.relative_to(folder / name)): path.read_bytes() for path in (folder / name).rglob("*")
                if path.is_file()}

    run(dplc, ["emit", "megatron", "other.dpl", "-o", "old"], folder)
    run(dplc, ["emit", "megatron", "plan.dpl", "-o", "new"], folder)
    old, new = held("old"), held("new")
    command = ["emit", "megatron", "plan.dpl", "-o", "old"]
    count = 0
    for number in [*range(1, 7000, 97), *range(5600, 6800, 13)]:
        environment = os.environ | {"LD_PRELOAD": str(shim), "FAIL_ONLY": str(number)}
        ended = subprocess.run([dplc, *command], cwd=folder, env=environment, capture_output=True, text=True)
        ends_in_one(command, ended, loader=False)
        count += ended.returncode == 3
        if held("old") not in (old, new):
            fault(command, f"allocation {number} left a part of a folder")
        if ended.returncode == 0:
            run(dplc, ["emit", "megatron", "other.dpl", "-o", "old"], folder)
    run(dplc, command, folder)
    left = [entry.name for entry in folder.iterdir() if entry.name.startswith("old.")]
    if left or count < 50:
        fault(command, f"{count} failures, left {left}")


def ends_in_one(command, ended, loader=True):
    """Success, or one error; or the loader's, where there is no room for the program itself."""
    found = errors(ended.stderr)
    if ended.returncode == 0 or (ended.returncode in (1, 2, 3) and len(found) == 1):
        return
    if loader and (ended.returncode == 127 or (ended.returncode < 0 and not ended.stderr)):
        return
    fault(command, f"status {ended.returncode}, {len(found)} errors: {ended.stderr[:200]!r}")


def limits(dplc):
    folder = fresh()
    threaded = [["study", "plan.dpl"], ["simulate", "plan.dpl", "--steps", "4"]]
    for command in COMMANDS[:1] + COMMANDS[2:] + threaded:
        began = False
        for mebibytes in [20, 24, 30, 40, 60, 80, 100, 140, 200, 300]:
            size = mebibytes << 20
            ended = run(dplc, command, folder, lambda s=size: resource.setrlimit(resource.RLIMIT_AS, (s, s)))
            began |= ended.returncode in (0, 3)
            ends_in_one(command, ended, loader=not began)
        ended = run(dplc, command, folder, lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1)))
        ends_in_one(command, ended, loader=False)


def outputs(dplc):
    folder = fresh()
    os.mkfifo(folder / "pipe")
    for name, to in {"null": "/dev/null", "full": "/dev/full", "link": "pipe"}.items():
        (folder / name).symlink_to(to)
    before = {name: (folder / name).lstat().st_ino for name in ("pipe", "null", "full", "link")}
    for command in WRITERS:
        for name in before:
            ended = run(dplc, [*command, name], folder)
            ends_in_one([*command, name], ended, loader=False)
            if (ended.returncode == 0) != (name == "null"):
                fault([*command, name], f"status {ended.returncode}: {ended.stderr[:200]!r}")
    for command in FOLDERS:
        for name in before:
            ended = run(dplc, [*command, name], folder)
            if ended.returncode not in (1, 3) or len(errors(ended.stderr)) != 1:
                fault([*command, name], f"status {ended.returncode}: {ended.stderr[:200]!r}")
    for name, inode in before.items():
        if (folder / name).lstat().st_ino != inode:
            fault([name], "was replaced")
    for name, kind in {"/dev/null": stat.S_ISCHR, "/dev/full": stat.S_ISCHR}.items():
        if not kind(os.stat(name).st_mode):
            fault([name], "was replaced")
    left = [entry.name for entry in folder.iterdir() if entry.name not in FILES and entry.name not in before]
    if left:
        fault(["outputs"], f"left {left}")
    for command in COMMANDS:
        with open("/dev/full", "w") as full:
            ended = run(dplc, command, folder, stdout=full)
            nothing = command[0] == "fmt"  # `fmt` prints nothing if the file is formatted
            if ended.returncode not in ((0,) if nothing else (1, 3)) or (ended.returncode == 3 and len(errors(ended.stderr)) != 1):
                fault([*command, ">/dev/full"], f"status {ended.returncode}: {ended.stderr[:200]!r}")
            ended = run(dplc, command, folder, stderr=full)
            if ended.returncode not in (0, 1, 3):
                fault([*command, "2>/dev/full"], f"status {ended.returncode}")


def main():
    dplc = os.path.abspath(sys.argv[1])
    allocations(dplc, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    folders(dplc)
    limits(dplc)
    outputs(dplc)
    print(f"{len(wrong)} faults")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
