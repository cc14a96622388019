#!/usr/bin/env python3
"""Does dplc refuse what Accelerate refuses? Draws layouts, asks both, prints the confusion table.

    python3 agree.py --dplc build/debug/tools/dplc --count 1000 --seed 1

Makes Accelerate's environment on the first run. Exit status: 0 agreed, 1 not so, 77 no environment.
"""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(os.path.dirname(HERE), other) for other in ("common", "deepspeed")]

import agreement  # noqa: E402
import environment  # noqa: E402

# Errors of dplc that are right although Accelerate starts the run.
EXPLAINED = {
    "DPL0317": "Megatron-LM switches sequence parallelism off with a warning, so that the plan says what does not happen",
}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where Accelerate is kept")
    options.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    agreement.add_options(options)
    given = options.parse_args()
    if agreement.shown(given):
        return 0
    if not given.inside:
        try:
            python = environment.make(os.path.abspath(given.environment), os.path.join(HERE, "accelerate.txt"))
        except environment.Unavailable as why:
            print(f"skipped: {why}")
            return 77
        inside = [python, os.path.abspath(__file__), "--inside", *sys.argv[1:]]
        return subprocess.run(inside, check=False, env=environment.variables()).returncode
    import client
    from adjust import near
    from framework import Client
    from settings import Judge

    return agreement.run("accelerate@1.15", Judge(Client(client.Client())), given.count, given.seed, given.dplc,
                         explained=EXPLAINED, adjust=near, seconds=given.seconds)


if __name__ == "__main__":
    sys.exit(main())
