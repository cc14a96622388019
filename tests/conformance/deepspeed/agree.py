#!/usr/bin/env python3
"""Does dplc refuse what DeepSpeed refuses? Draws layouts, asks both, prints the confusion table.

    python3 agree.py --dplc build/release/dplc --count 1000 --seed 1

Makes DeepSpeed's environment on the first run. Exit status: 0 agreed, 1 not so, 77 no environment.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import agreement  # noqa: E402

# Errors of dplc that no framework's rule stands for, and why they are right although DeepSpeed starts the run.
EXPLAINED = {
    "DPL0315": "Ulysses takes sequences that divide by context; that the halves divide as well holds for every target, "
               "so that a plan is not bound to one.",
    "DPL0316": "with stages the training script splits activations over tensor; it gets parts of one size on every target.",
}


def run(judge, count, seed, dplc):
    from drawn import adjust
    return agreement.run("deepspeed@0.19", judge, count, seed, dplc, explained=EXPLAINED, adjust=adjust)


def judged(given):
    from client import Client
    from drawn import Judge
    return run(Judge(Client()), given.count, given.seed, given.dplc)


if __name__ == "__main__":
    sys.exit(agreement.command(__doc__.splitlines()[0], __file__, "deepspeed.txt", judged))
