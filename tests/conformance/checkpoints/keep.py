#!/usr/bin/env python3
"""Saves and loads checkpoints of Megatron-LM, DeepSpeed and PyTorch with changed degrees, and compares with the table of `--near`.

    python3 keep.py --page docs/reference/running-jobs.md

phases.py trains a two-layer model with four processes under gloo, saves it, loads it with other degrees, and brings it back. The table of
docs/reference/running-jobs.md has to say that a change loads if one of its rows keeps every weight and moment. Cells that say `no` are not tried.
Exit status: 0 all as it should be, 1 not so, 77 without DPL_LONG=1, or when no environment can be had on this machine.
"""
import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import environment  # noqa: E402

COLUMNS = ["data", "model", "stage"]  # of the table, after the framework


def megatron(world=4, tensor=1, pipeline=1, zero=1, form="dp_reshardable"):
    return {"world": world, "tensor": tensor, "pipeline": pipeline, "zero": zero, "form": form}


def deepspeed(world=4, zero=1, universal=True):
    return {"world": world, "zero": zero, "universal": universal}


def torchtitan(world=4, tensor=1, zero=3):
    return {"world": world, "tensor": tensor, "zero": zero}


FULL = {"form": "fully_reshardable"}  # --dist-ckpt-optim-fully-reshardable
# Framework, its environment, and for each column the layout that saves, the one that loads, and whether it does. A column may have
# several rows: the condition of the table is met, and is not.
TRIED = [
    ("megatron", "checkpoints/megatron_states.txt", [
        ("data", megatron(), megatron(world=2), True),
        ("model", megatron(**FULL), megatron(tensor=2, pipeline=2, **FULL), True),
    ]),
    ("deepspeed", "deepspeed/deepspeed.txt", [
        ("data", deepspeed(), deepspeed(world=2), True),
        ("data", deepspeed(universal=False), deepspeed(world=2, universal=False), False),
    ]),
    ("torchtitan", "deepspeed/deepspeed.txt", [
        ("data", torchtitan(), torchtitan(world=2), True),
        ("model", torchtitan(), torchtitan(tensor=2), True),
        ("stage", torchtitan(), torchtitan(zero=0), True),
    ]),
]
ROWS = {"megatron": "Megatron-LM, `torch_dist`", "deepspeed": "DeepSpeed, ZeRO", "torchtitan": "torchtitan, DCP"}


def table_of(page):
    """Whether the table says that a change loads, by framework and column."""
    with open(page, encoding="utf-8") as file:
        rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|", file.read(), re.M)
    return {(framework, column): cell != "no" for framework, name in ROWS.items() for row in rows if row[0] == name
            for column, cell in zip(COLUMNS, row[1:])}


def run(python, framework, cases, work):
    os.makedirs(work, exist_ok=True)
    path = os.path.join(work, f"{framework}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump([{"name": name, "a": a, "b": b} for name, a, b, _ in cases], file)
    done = subprocess.run([python, "-W", "ignore", os.path.join(HERE, "phases.py"), framework, os.path.join(work, framework), path],
                          capture_output=True, text=True, check=False, timeout=1500, env=environment.variables())
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"case"')]
    if len(lines) != len(cases):
        raise SystemExit(f"{framework}: {done.stdout[-2000:]}{done.stderr[-4000:]}")
    return lines


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--environment", required=True)
    options.add_argument("--work", required=True)
    options.add_argument("--page", required=True)
    given = options.parse_args()
    if "DPL_LONG" not in os.environ:
        print("takes minutes: DPL_LONG=1 runs it")
        return 77
    said, wrong, tried = table_of(given.page), 0, 0
    for framework, requirements, cases in TRIED:
        try:
            python = environment.make(given.environment, os.path.join(HERE, os.pardir, requirements))
        except environment.Unavailable as reason:
            print(f"{framework}: {reason}")
            continue
        loads = {}
        for (column, _, _, expected), line in zip(cases, run(python, framework, cases, given.work)):
            found = line["result"] == "loads"
            loads[column] = loads.get(column, False) or found
            wrong += found != expected
            tried += 1
            print(f"{'right' if found == expected else 'WRONG'}  {framework} {column}: {line['result']}")
        for column, found in loads.items():
            if said[framework, column] != found:
                wrong += 1
                print(f"WRONG  the page says otherwise of {framework} {column}")
    if not tried:
        return 77
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
