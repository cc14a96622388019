#!/usr/bin/env python3
"""Lets PyTorch count what the layers of emitted modules keep for their backward pass, beside the compiler's account.

    python3 saved.py --dplc build/release/dplc

Twenty small plans; each module gets the sizes of its plan and runs one forward pass on the CPU, with a hook on the
tensors that autograd saves (count.py). Operator by operator the account may be 2 % off. A plan that says of its activation
what the module does not do has to be found out.
Exit status: 0 all as it should be, 1 not so, 77 when PyTorch cannot be had on this machine.
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
import folders as emitted  # noqa: E402

SLACK = 0.02
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

# layers, hidden, heads, kv_heads, head size, width, context, micro-batch, mesh
PLANS = [
    (2, 256, 8, 8, 32, 512, 128, 1, "data = 2"),
    (2, 256, 8, 4, 32, 512, 128, 2, "data = 2"),
    (4, 256, 8, 2, 32, 704, 128, 1, "data = 2, pipeline = 2"),
    (4, 256, 8, 1, 32, 512, 64, 4, "pipeline = 2"),
    (4, 128, 4, 4, 32, 512, 128, 1, "pipeline = 4"),
    (2, 512, 8, 8, 64, 1024, 64, 1, "tensor = 2"),
    (2, 512, 8, 4, 64, 1408, 64, 3, "tensor = 4"),
    (2, 512, 16, 8, 32, 1024, 128, 1, "tensor = 8"),
    (4, 256, 8, 4, 32, 768, 128, 2, "tensor = 2, pipeline = 2"),
    (4, 256, 8, 8, 32, 512, 128, 1, "data = 2, tensor = 2, pipeline = 2"),
    (2, 384, 6, 3, 64, 1024, 96, 1, "data = 3"),
    (3, 384, 6, 2, 64, 768, 96, 2, "tensor = 2"),
    (6, 192, 6, 6, 32, 512, 160, 1, "pipeline = 3"),
    (2, 320, 5, 5, 64, 1280, 80, 2, "data = 4"),
    (2, 256, 4, 4, 128, 512, 128, 1, "data = 2"),
    (2, 256, 4, 2, 128, 512, 128, 1, "tensor = 2"),
    (2, 1024, 16, 4, 64, 2816, 32, 1, "data = 2"),
    (2, 1024, 16, 16, 64, 2816, 64, 1, "tensor = 4"),
    (8, 128, 4, 2, 32, 384, 256, 1, "pipeline = 4, data = 2"),
    (2, 640, 10, 2, 64, 1792, 48, 5, "tensor = 2, data = 2"),
]


def source_of(numbers, activation="unfused"):
    """A plan whose `kernels` say what the module does: separate products of its gate, and attention that is fused."""
    layers, hidden, heads, kv_heads, size, width, context, micro, mesh = numbers
    return f"""import std.models
import std.clusters

model small from models.decoder {{
  layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv_heads}, head_dim = {size}
  vocab = 1024, context = {context}tok
  ffn = gated {{ width = {width} }}
}}

cluster box from clusters.dgx_h100 {{ nodes = 1, node.gpus = {devices_of(mesh)} }}

layout plan for small on box {{
  mesh {{ {mesh} }}
  batch = {96 * micro}seq
  micro_batch = {micro}
  precision {{ compute = fp32, parameters = fp32 }}
  kernels.activation = {activation}
}}
"""


def devices_of(mesh):
    product = 1
    for size in re.findall(r"\d+", mesh):
        product *= int(size)
    return product


def account_of(dplc, source):
    """Bytes by operator that a layer of the plan keeps, and its points of the residual stream."""
    said = subprocess.run([dplc, "report", source, "--why", "layer[gated].saved_activations"], capture_output=True, text=True,
                          check=True).stdout
    return {name: float(number) * UNITS[unit] for name, number, unit in re.findall(
        r'─ layer\[gated\]\.(?:operator\["?)?([a-z_ -]+)(?:"?\])?(?:\.saved_activations)? = ([\d.]+)(\w+)$', said, re.MULTILINE)}


def compare(account, counted):
    """What differs, as lines."""
    return [f"{name}: the plan keeps {account.get(name, 0):.0f} bytes, PyTorch {counted.get(name, 0)}"
            for name in sorted(account.keys() | counted.keys())
            if abs(account.get(name, 0) - counted.get(name, 0)) > SLACK * counted.get(name, 0)]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where PyTorch is kept")
    options.add_argument("--work", default="build/conformance/pytorch_saved", help="where folders are emitted to")
    options.add_argument("--dplc", default="build/release/dplc", help="the compiler")
    given = options.parse_args()
    try:
        python = environment.make(os.path.abspath(given.environment), os.path.join(HERE, "pytorch.txt"))
    except environment.Unavailable as why:
        print(f"skipped: {why}")
        return 77
    work = os.path.abspath(given.work)
    os.makedirs(work, exist_ok=True)
    sources = []
    for index, numbers in enumerate([*PLANS, PLANS[0]]):
        sources.append(os.path.join(work, f"saved{index}.dpl"))
        with open(sources[-1], "w", encoding="utf-8") as file:
            file.write(source_of(numbers, "fused" if index == len(PLANS) else "unfused"))
    folders, failed = emitted.Emitter(given.dplc, "pytorch", work).given(sources)
    if failed:
        return 1
    sizes = [dict(zip(("HIDDEN", "HEAD_SIZE", "WIDTH", "SEQUENCE", "MICRO_BATCH"), (n[1], n[4], n[5], n[6], n[7])))
             for n in [*PLANS, PLANS[0]]]
    counted = json.loads(subprocess.run([python, os.path.join(HERE, "count.py"), json.dumps(list(zip(folders, sizes)))],
                                        capture_output=True, text=True, check=True).stdout)
    for index, (source, numbers, found) in enumerate(zip(sources, [*PLANS, PLANS[0]], counted)):
        wrong = compare(account_of(given.dplc, source), found)
        damaged = index == len(PLANS)
        well = bool(wrong) == damaged
        failed += not well
        print(f"{'FAILED' if not well else 'refused' if damaged else 'agrees':8} {os.path.basename(source)} "
              f"({numbers[8]}): {sum(found.values())} bytes a layer", flush=True)
        print("".join(f"    {line}\n" for line in (wrong if not well else ())), end="", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
