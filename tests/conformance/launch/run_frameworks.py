#!/usr/bin/env python3
"""Runs the launch.sh of every framework with stand-ins for what it starts, and parses every emitted file.

The plan's file, the folder, the arguments and the environment have names that shells, TOML, YAML and compilers take
for their own. All has to arrive byte for byte, nothing may be carried out, and no file may be torn open. Needs bash,
python3 and a C++ compiler only.
"""
import ast
import json
import os
import shutil
import subprocess
import sys

import hostile
from emitting import HERE, command, emit, expect, need, stand_in
from run_scripts import Place, RECORDER

ROOT = os.path.join(HERE, "../../..")
FILE = "it's \"a\" $(touch HURT) `touch HURT` \\ é ;#\n[job]\n*/ #error }\n- exit.dpl"
FOLDER = "it's \"there\" $(touch HURT) é"
# What becomes of the variables of a launch's loader, of which run() has 3 workers with 4 batches each.
LOADERS = {
    "megatron": {"--num-workers": "3"},
    "torchtitan@0.2.2": {"--training.dataloader.num_workers": "3", "--training.dataloader.prefetch_factor": "4"},
    "torchtitan@0.3.0": {"--dataloader.num_workers": "3", "--dataloader.prefetch_factor": "4"},
}
PLANS = {
    "megatron": "examples/llama3_70b_h100.dpl",
    "deepspeed": "tests/conformance/deepspeed/plans/stages.dpl",
    "accelerate": "tests/conformance/accelerate/plans/deepspeed_sharded.dpl",
    "torchtitan@0.2.2": "tests/conformance/torchtitan/plans/llama3_8b_sharded.dpl",
    "torchtitan@0.3.0": "tests/conformance/torchtitan/plans/llama3_8b_sharded.dpl",
    "pytorch": "tests/conformance/pytorch/plans/tensor_data.dpl",
    "nccl": "examples/resnet50_a100.dpl",
    "mpi": "tests/conformance/mpi/plans/experts.dpl",
}


def parse(path, compiler):
    """Reads a file as what will read it does."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    name = os.path.basename(path)
    if name.endswith(".json"):
        json.loads(text)
    elif name.endswith(".py"):
        ast.parse(text)
    elif name.endswith(".toml"):
        import tomllib
        tomllib.loads(text)
    elif name.endswith(".sh"):
        done = subprocess.run(["bash", "-n", path], capture_output=True, text=True, check=False)
        expect(done.returncode == 0, f"{path}: {done.stderr}")
    elif name == "plan.h":
        done = subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++",
                               "-include", path, "/dev/null"], capture_output=True, text=True, check=False)
        expect(done.returncode == 0, f"{path}: {done.stderr}")
    return name


def run(place, folder, target):
    """Starts launch.sh in a place where everything has a hostile name."""
    words = [hostile.PATH + "/train.py", *hostile.TEXTS.values()]
    own = {"MASTER_ADDR": "head", "NODE_RANK": "0", "MEGATRON_PATH": hostile.PATH, "HF_ASSETS_PATH": hostile.PATH,
           "CHECKPOINT_DIR": hostile.TEXTS["quotes"], "DATA_PATH": hostile.TEXTS["commands"],
           "DATA_WORKERS": "3", "DATA_PREFETCH": "4", **hostile.environment()}
    calls = place.run(os.path.join(folder, "launch.sh"), *words, **own)
    expect(len(calls) == 1, f"{target} starts {len(calls)} programs")
    arguments = calls[0]["arguments"]
    at = arguments.index(words[0])
    expect(arguments[at:at + len(words)] == words, f"{target}: its arguments arrive as {arguments}")
    expect(any(word.startswith(folder) for word in arguments) or target in ("megatron", "torchtitan@0.3.0"),
           f"{target} is not given its folder: {arguments}")
    if target == "megatron":
        expect(f"{hostile.PATH}/pretrain_gpt.py" in arguments, f"another script: {arguments}")
    for name, value in LOADERS.get(target, {}).items():
        expect(name in arguments and arguments[arguments.index(name) + 1] == value, f"{target}: another {name}")
    for name, value in hostile.environment().items():
        expect(calls[0]["environment"].get(name) == value, f"{target}: another {name}")
    return calls[0]["program"]


def test(given):
    work = os.path.join(given.work, FOLDER)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    os.makedirs(hostile.PATH, exist_ok=True)
    place = Place(os.path.join(work, "place"))
    for program in ("torchrun", "deepspeed", "accelerate"):
        stand_in(place.tools, program, RECORDER)
    try:
        (compiler,) = need("c++")
        for target, plan in PLANS.items():
            source = os.path.join(work, FILE)  # a slash in it makes a folder, too
            os.makedirs(os.path.dirname(source), exist_ok=True)
            shutil.copyfile(os.path.join(ROOT, plan), source)
            folder = emit(given.dplc, [target], source, os.path.join(work, target))
            read = [parse(os.path.join(folder, name), compiler) for name in sorted(os.listdir(folder))
                    if not name.startswith(".")]
            started = run(place, folder, target) if "launch.sh" in read else "nothing"
            print(f"read     {target}: {len(read)} files; it starts {started}")
    finally:
        shutil.rmtree(hostile.PATH, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(command(__doc__.splitlines()[0], test))
