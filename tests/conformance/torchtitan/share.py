#!/usr/bin/env python3
"""How many ordinary layouts of models that torchtitan has does `dplc check --target torchtitan` take, and why not more?

    python3 share.py --count 300 --seed 1 --dplc build/release/dplc

A layout is drawn as somebody writes it who knows the model and the machine and not torchtitan: degrees that divide what
they have to, a sharding, a schedule and a recomputation of the language, the rest left at its defaults. Needs no
torchtitan. Exit status: 0 when at least `--least` of the layouts that the language takes are taken by the newest release, else 1.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile

# By family: name, experts.
FAMILIES = [[("llama3_8b", 0), ("llama3_70b", 0), ("llama3_1_405b", 0)],
            [("qwen3_8b", 0), ("qwen3_32b", 0), ("qwen3_30b_a3b", 128)],
            [("deepseek_v3", 256)]]
OPERATORS = "selective { modules = [norm, activation, every_other_matmul] }"
RECOMPUTE = ["none", "full", "full", OPERATORS, OPERATORS, "selective"]  # the last: Megatron-LM's, of core attention
SHARDED = ["", "optimizer = data", "optimizer = data, gradients = data",
           *["optimizer = data, gradients = data, parameters = data"] * 5]


def drawn(r):
    """The text of a layout that divides everywhere."""
    name, experts = r.choice(r.choice(FAMILIES))
    nodes = r.choice([1, 2, 4, 8, 16, 32])
    left = nodes * 8
    tensor = r.choice([n for n in (1, 1, 2, 4, 8) if n <= left])
    left //= tensor
    pipeline = r.choice([1, 1, *[n for n in (2, 4, 8) if n < left]])
    left //= pipeline
    context = r.choice([1, 1, 1, *[2] * (left >= 4)])
    data = left // context
    micro = r.choice([1, 1, 2])
    mesh = [f"pipeline = {pipeline}"] * (pipeline > 1) + ["data = rest"]
    mesh += [f"context = {context}"] * (context > 1) + [f"tensor = {tensor}"] * (tensor > 1)
    if experts and data * context * tensor > 1:
        # whole experts on each rank, as many ranks as there are at most
        ranks = data * context * tensor
        expert = r.choice([n for n in (2, 4, 8, 16) if ranks % n == 0 and n <= experts] or [1])
        mesh.append(f"experts {{ data = rest, expert = {expert}, tensor = 1 }}")
    lines = [f"mesh {{ {', '.join(mesh)} }}", f"micro_batch = {micro}seq",
             f"batch = {micro * data * max(2 * pipeline, r.choice([4, 8]))}seq"]
    if pipeline > 1:
        chunks = r.choice([2, 4])
        lines.append("schedule = " + r.choice(["1f1b", "1f1b", f"interleaved_1f1b {{ chunks = {chunks} }}", "zb_v"]))
        lines.append("split = balanced")
    if data > 1 and (shard := r.choice(SHARDED)):
        lines.append(f"shard {{ {shard} }}")
    if tensor > 1 and (experts or r.random() < 0.9):
        lines.append("shard.sequence = tensor")
    lines.append(f"recompute = {r.choice(RECOMPUTE)}")
    lines.append("precision { " + r.choice(["compute = bf16", "compute = bf16", "compute = bf16", "compute = fp8"]) + " }")
    return (f"import std.models\nimport std.clusters\nmodel net from models.{name} {{ context = 8192tok }}\n"
            f"cluster pod from clusters.dgx_h100 {{ nodes = {nodes} }}\nlayout plan for net on pod {{\n  "
            + "\n  ".join(lines) + "\n}\n")


def codes(dplc, path, target):
    done = subprocess.run([dplc, "check", path, *([f"--target={target}"] if target else []), "--json"],
                          capture_output=True, text=True, check=False, timeout=300)
    out = []
    for d in json.loads(done.stdout)["diagnostics"]:
        if d["severity"] == "error":
            rule = [n["message"].split("`")[1] for n in d["notes"] if n["message"].startswith("rule `")]
            out.append(rule[0] if rule else d["code"])
    return out


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dplc", default="build/release/dplc")
    options.add_argument("--count", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--least", type=float, default=0.5)
    options.add_argument("--draw", type=int, metavar="INDEX", help="print this layout of the seed and end")
    given = options.parse_args()
    text = lambda i: drawn(random.Random(f"ordinary/{given.seed}/{i}"))  # noqa: E731
    if given.draw is not None:
        print(text(given.draw), end="")
        return 0
    share = 0.0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        paths = []
        for i in range(3 * given.count):
            paths.append(os.path.join(folder, f"{i}.dpl"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(text(i))
        for release in ("0.2.2", "0.3.0"):
            said = list(pool.map(lambda path, t=f"torchtitan@{release}": codes(given.dplc, path, t), paths))
            # What fits no device, or the language refuses, is nobody's layout.
            legal = [found for found in said if all(c.startswith("torchtitan") for c in found)][:given.count]
            taken = sum(not found for found in legal)
            causes = collections.Counter(code for found in legal for code in set(found))
            alone = collections.Counter(found[0] for found in legal if len(set(found)) == 1)
            print(f"torchtitan {release}: {taken} of {len(legal)} layouts are taken, {taken / len(legal):.0%}")
            for code, count in causes.most_common():
                print(f"  {count:4} {code}, {alone[code]} by it alone")
            share = taken / len(legal)
    return int(share < given.least)


if __name__ == "__main__":
    sys.exit(main())
