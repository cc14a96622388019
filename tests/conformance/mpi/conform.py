#!/usr/bin/env python3
"""Runs what `dplc emit mpi` writes for plans of 4 to 16 ranks under mpirun, with every result checked.

    python3 conform.py --dplc build/debug/tools/dplc --work build/conformance/mpi

Each run has to end well and to have executed the operations of `dplc ir` in their order. Then pairs of
operations are swapped: the verifier has to refuse the plan, and the program has to notice on its own.
Exit status: 0 all as it should be, 1 not so, 77 when there is no MPI on this machine.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import plans  # noqa: E402
import swaps  # noqa: E402
from program import Program, run  # noqa: E402

SKIPPED = 77
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_btl="self,vader",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")


def missing():
    """Why the program cannot be built or run here, or None."""
    absent = [tool for tool in ("cmake", "c++", "mpicc", "mpirun") if shutil.which(tool) is None]
    return f"there is no {', '.join(absent)}" if absent else None


def start(program, plan, *options):
    return run(["mpirun", "-np", str(plan.ranks), program.binary, "--scale", plan.scale, *options], env=ENVIRONMENT)


def check_run(program, plan, work):
    """Runs the plan and compares what was executed with the printed plan."""
    times = os.path.join(work, "times.json")
    done = start(program, plan, "--steps", "1", "--json", times)
    if done.returncode != 0 or not done.stdout.startswith("ok: "):
        raise AssertionError(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
    with open(times, encoding="utf-8") as file:
        seen = json.load(file)["pipeline"]
    executed = [[swaps.label(op) for op in rank["operations"]] for rank in seen]
    if executed != swaps.Printed(plan.printed(program.dplc)).labels():
        raise AssertionError("the operations are not those of the plan, or in another order")
    return done.stdout.strip()


def check_swap(program, plan, swap):
    """A swapped pair is refused by the verifier, and found by the program where it is forced on it."""
    printed = swaps.Printed(plan.printed(program.dplc))
    path = os.path.join(program.emitted, "swapped.ir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(printed.swapped(swap))
    verdict = run([program.dplc, "ir", "--read", path])
    if verdict.returncode != 1 or "DPL0901" not in verdict.stderr:
        raise AssertionError(f"the verifier takes it\n{verdict.stderr}")
    program.write(swaps.tables(program.tables(), swap))
    program.compile()
    done = start(program, plan, "--timeout", "3")
    if done.returncode != swap.status or swap.message not in done.stderr:
        raise AssertionError(f"exit status {done.returncode}, needed {swap.status} and '{swap.message}'\n"
                             f"{done.stdout}{done.stderr}")
    line = next(line for line in done.stderr.splitlines() if swap.message in line)
    return f"{verdict.stderr.splitlines()[0]}\n         {line}"


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
    program, failed = Program(given.dplc, "mpi", work), 0
    for plan in plans.ALL:
        if given.only and given.only not in plan.name:
            continue
        began = time.monotonic()
        try:
            program.emit(plan.arguments())
            program.compile()
            print(f"ok       {plan.name}: {check_run(program, plan, work)} "
                  f"({time.monotonic() - began:.1f} s)", flush=True)
            for swap in plan.swaps:
                program.emit(plan.arguments())
                print(f"found    {plan.name}, {swap.name}: {check_swap(program, plan, swap)}", flush=True)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"FAILED   {plan.name}: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
