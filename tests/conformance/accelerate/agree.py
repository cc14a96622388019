#!/usr/bin/env python3
"""Does dplc refuse what Accelerate refuses? Draws layouts, asks both, prints the confusion table.

    python3 agree.py --dplc build/release/dplc --count 1000 --seed 1

Makes Accelerate's environment on the first run. Exit status: 0 agreed, 1 not so, 77 no environment.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(os.path.dirname(HERE), other) for other in ("common", "deepspeed")]

import agreement  # noqa: E402


def run(client, count, seed, dplc):
    from adjust import near
    from settings import Judge
    return agreement.run("accelerate@1.15", Judge(client), count, seed, dplc, adjust=near)


def judged(given):
    import client
    from framework import Client
    return run(Client(client.Client()), given.count, given.seed, given.dplc)


if __name__ == "__main__":
    sys.exit(agreement.command(__doc__.splitlines()[0], __file__, "accelerate.txt", judged))
