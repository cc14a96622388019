#!/usr/bin/env python3
"""Imports the configurations of recent causal models and compares their parameters with the classes of transformers.

    python3 conform.py --dplc build/release/dplc --environment build/conformance --work /tmp/models

models.csv lists the 60 causal model types that transformers 5.24.0 gained last, and whether `dplc import hf` reads them:
`yes`, or the word that its refusal must have. Parameters have to be within 0.1 % of the class that the same configuration
builds on the meta device, and the class has to have those of the table. Exit status: 0 all so, 1 not, 77 without the
environment.
"""
import argparse
import csv
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import environment  # noqa: E402

SKIPPED, MOST = 77, 0.001
LAYOUT = """
import std.clusters

cluster box from clusters.dgx_h100 { nodes = 1, node.gpu.memory = 1000TiB }

layout plan for m on box {
  batch = 8seq
  mesh { data = 8 }
}
"""


def rows():
    with open(os.path.join(HERE, "models.csv"), encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


# Plans whose operator `scan` has the sizes of reference.py, on one device.
SCANS = {
    "gated_delta": "gated_delta { key_heads = 4, heads = 8, key_dim = 64, value_dim = 128 }",
    "lightning": "lightning",
    "mamba2": "mamba2 { heads = 8, head_dim = 32, state = 64, groups = 2, chunk = 128 }",
}
SCAN_PLAN = """import std.models
import std.clusters

model m from models.decoder {
  layers = 1, hidden = 512, heads = 8, vocab = 1000, context = 512tok
  layer { attention = none, recurrence = RECURRENCE }
}

cluster box from clusters.dgx_h100 { nodes = 1 }

layout plan for m on box {
  mesh { data = 8 }
  batch = 8seq
  micro_batch = 1seq
}
"""
FIGURES = {"forward": "forward.flop", "backward": "backward_input.flop", "saved": "saved_activations"}


def figures(dplc, source, names):
    """Values by name, in base units."""
    done = subprocess.run([dplc, "report", source, "--json", "--figures", ",".join(names)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr
    return {name: figure["value"] for name, figure in json.loads(done.stdout)["figures"].items()}


def scans(dplc, python, work):
    """Mistakes of the figures of scans against the chunked references."""
    done = subprocess.run([python, os.path.join(HERE, "reference.py")], capture_output=True, text=True, check=False,
                          env=environment.variables())
    if done.returncode != 0:
        return [done.stderr]
    wrong = []
    for line in done.stdout.splitlines():
        kind, what, value = line.split()
        source = os.path.join(work, f"scan_{kind}.dpl")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SCAN_PLAN.replace("RECURRENCE", SCANS[kind]))
        name = f'layer[plain].operator["scan"].{FIGURES[what]}'
        got = figures(dplc, source, [name])
        most = 0.02 if what == "saved" else 0.01
        if isinstance(got, str) or abs(got[name] / float(value) - 1) > most:
            wrong.append(f"{kind} {what}: {got if isinstance(got, str) else got[name]}, the reference has {value}")
    return wrong


def imported(dplc, work, kind):
    """Parameters of the imported model, or the text of the refusal."""
    done = subprocess.run([dplc, "import", "hf", os.path.join(work, kind + ".json"), "--name", "m"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr
    source = os.path.join(work, kind + ".dpl")
    with open(source, "w", encoding="utf-8") as file:
        file.write(done.stdout + LAYOUT)
    found = figures(dplc, source, ["model.parameters"])
    return found if isinstance(found, str) else found["model.parameters"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dplc", required=True)
    parser.add_argument("--environment", required=True)
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    try:
        python = environment.make(os.path.abspath(options.environment), os.path.join(HERE, "transformers.txt"))
    except environment.Unavailable as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    os.makedirs(options.work, exist_ok=True)
    table = rows()
    done = subprocess.run([python, os.path.join(HERE, "classes.py"), options.work, *(row["model_type"] for row in table)],
                          capture_output=True, text=True, check=False, env=environment.variables())
    built = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    wrong, read = 0, 0
    for row in table:
        kind, expected = row["model_type"], row["parameters"]
        found = built.get(kind, "- nothing")
        if (found if not found.startswith("-") else "-") != expected:
            print(f"{kind}: the class has {found} parameters, the table {expected}")
            wrong += 1
        if not os.path.exists(os.path.join(options.work, kind + ".json")):
            continue
        got = imported(options.dplc, options.work, kind)
        if isinstance(got, str):
            fits = row["imports"] != "yes" and row["imports"] in got
            answer = got.splitlines()[0] if got else "no text"
        else:
            read += 1
            fits = row["imports"] == "yes" and abs(got / float(expected) - 1) <= MOST
            answer = f"{got} parameters, the class has {expected}"
        if not fits:
            print(f"{kind}: {answer}")
            wrong += 1
    for mistake in scans(options.dplc, python, options.work):
        print(mistake)
        wrong += 1
    print(f"{read} of {len(table)} are read, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
