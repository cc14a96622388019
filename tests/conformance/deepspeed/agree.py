#!/usr/bin/env python3
"""Does dplc refuse what DeepSpeed refuses? Draws layouts, asks both, prints the confusion table.

    python3 agree.py --dplc build/debug/tools/dplc --count 1000 --seed 1

Makes DeepSpeed's environment on the first run. Exit status: 0 agreed, 1 not so, 77 no environment.
"""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import agreement  # noqa: E402
import environment  # noqa: E402

# Errors of dplc that no framework's rule stands for, and why they are right although DeepSpeed starts the run.
EXPLAINED = {
    "DPL0315": "Ulysses takes sequences that divide by context; that the halves divide as well holds for every target, "
               "so that a plan is not bound to one.",
    "DPL0316": "with stages the training script splits activations over tensor; it gets parts of one size on every target.",
    "DPL0317": "it has no setting for what does nothing, so that the plan says what does not happen.",
}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where DeepSpeed is kept")
    options.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    agreement.add_options(options)
    given = options.parse_args()
    if agreement.shown(given):
        return 0
    if not given.inside:
        try:
            python = environment.make(os.path.abspath(given.environment), os.path.join(HERE, "deepspeed.txt"))
        except environment.Unavailable as why:
            print(f"skipped: {why}")
            return 77
        inside = [python, os.path.abspath(__file__), "--inside", *sys.argv[1:]]
        return subprocess.run(inside, check=False, env=environment.variables()).returncode
    from client import Client
    from drawn import Judge, adjust

    return agreement.run("deepspeed@0.19", Judge(Client()), given.count, given.seed, given.dplc,
                         explained=EXPLAINED, adjust=adjust, seconds=given.seconds)


if __name__ == "__main__":
    sys.exit(main())
