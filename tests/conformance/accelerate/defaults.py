#!/usr/bin/env python3
"""Asks transformers for its configuration classes: a file that says nothing but its kind is imported as that of the class.

    python3 defaults.py --dplc build/release/dplc [KIND…]

For every kind of docs/targets/import.md that transformers has a class of, `dplc import hf` reads a file with the kind alone and
one with all that the class says without any; both have to be the same model. Exit status: 0 all equal, 1 not so, 77
when the environment cannot be had.
"""
import argparse
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import environment  # noqa: E402

SKIPPED = 77
# Their classes make the part that reads text only from what a file says of it, or with numbers of their own.
OF_THEIR_OWN = {"mistral3": "a whole without a `text_config` has one of another size than the kind of the part"}
# In the environment: the classes' defaults, a line for each kind that it has.
ASKING = """
import json, sys
from transformers import CONFIG_MAPPING
for kind in sys.argv[1:]:
    if kind in CONFIG_MAPPING:
        said = CONFIG_MAPPING[kind]().to_dict()
        print(json.dumps({**said, "model_type": kind}, default=str))
"""


def kinds():
    """All that the manual's table of kinds has in quotes; what is none has no class."""
    with open(os.path.join(ROOT, "docs", "targets", "import.md"), encoding="utf-8") as file:
        table, refused, _ = file.read().split("| `model_type` |")[1].partition("kinds are refused")
    assert refused, "docs/targets/import.md has no sentence that begins with the refused kinds"
    return sorted(set(re.findall(r"`([a-z0-9_]+)`", table)))


def model(dplc, config):
    """The lines of the imported model, but for the name of a key that one of the files lacks."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "config.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(config, file)
        done = subprocess.run([dplc, "import", "hf", path, "--name", "m"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr.splitlines()
    return [line for line in done.stdout.replace(path, "config.json").splitlines()
            if not line.startswith("/// `context` is ")]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where the programs are kept")
    options.add_argument("--dplc", required=True)
    options.add_argument("kinds", nargs="*", default=kinds())
    given = options.parse_args()
    try:
        python = environment.make(os.path.abspath(given.environment), os.path.join(HERE, "accelerate.txt"))
    except environment.Unavailable as why:
        print(f"skipped: {why}")
        return SKIPPED
    asked = subprocess.run([python, "-c", ASKING, *given.kinds], capture_output=True, text=True, check=True,
                           env=environment.variables(HF_HUB_OFFLINE="1"))
    failed = equal = 0
    for whole in map(json.loads, asked.stdout.splitlines()):
        kind = whole["model_type"]
        if kind in OF_THEIR_OWN:
            continue
        alone, said = model(given.dplc, {"model_type": kind}), model(given.dplc, whole)
        failed, equal = failed + (alone != said), equal + (alone == said)
        if alone != said:
            print(f"{kind}: the import has -, the class has +")
            print("\n".join(line for line in difflib.unified_diff(alone, said, lineterm="", n=0)
                            if not line.startswith(("---", "+++", "@@"))))
    print(f"{equal} kinds have the defaults of their classes, {failed} have not")
    return failed > 0 or equal < len(given.kinds) // 2


if __name__ == "__main__":
    sys.exit(main())
