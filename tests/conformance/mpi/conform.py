#!/usr/bin/env python3
"""Runs what `dplc emit mpi` writes for plans of 4 to 16 ranks under mpirun, with every result checked.

    python3 conform.py --dplc build/release/dplc --work build/conformance/mpi

Each run has to end well and to have executed the operations of `dplc ir` in their order. Then pairs of
operations are swapped: the verifier has to refuse the plan, and the program has to notice on its own.
Exit status: 0 all as it should be, 1 not so, 77 when there is no MPI on this machine.
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import plans  # noqa: E402
from program import programs  # noqa: E402
from running import judged, missing  # noqa: E402

SKIPPED = 77


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dplc", required=True)
    options.add_argument("--work", default="build/conformance/mpi", help="where programs are built")
    options.add_argument("--only", help="plans whose name contains this")
    given = options.parse_args()
    why = missing()
    if why:
        print(f"skipped: {why}")
        return SKIPPED
    work = os.path.abspath(given.work)
    which = [plan for plan in plans.ALL if not given.only or given.only in plan.name]
    return 1 if judged(programs(given.dplc, "mpi", work), which, work) else 0


if __name__ == "__main__":
    sys.exit(main())
