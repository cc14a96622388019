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

import plans
import swaps

SKIPPED = 77
FLAGS = "-Wall -Wextra -Wpedantic -Werror"
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_btl="self,vader",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")


def run(command, timeout=300, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout, **options)


def missing():
    """Why the program cannot be built or run here, or None."""
    absent = [tool for tool in ("cmake", "c++", "mpicc", "mpirun") if shutil.which(tool) is None]
    return f"there is no {', '.join(absent)}" if absent else None


class Program:
    """One build folder: between plans only plan.h differs, so that only main.cpp is compiled again."""

    def __init__(self, dplc, work):
        self.dplc, self.source = dplc, os.path.join(work, "program")
        self.build, self.emitted = os.path.join(work, "build"), os.path.join(work, "emitted")
        shutil.rmtree(self.source, ignore_errors=True)

    def emit(self, plan):
        shutil.rmtree(self.emitted, ignore_errors=True)
        done = run([self.dplc, "emit", "mpi", *plan.arguments(), "-o", self.emitted])
        if done.returncode != 0:
            raise AssertionError(f"not emitted\n{done.stderr}")
        if not os.path.isdir(self.source):
            shutil.copytree(self.emitted, self.source)
            return
        for name in sorted(os.listdir(self.emitted)):
            new, old = (self.read(folder, name) for folder in (self.emitted, self.source))
            if name == "plan.h":
                self.write(new)
            elif not name.startswith(".") and new.split("\n")[2:] != old.split("\n")[2:]:
                raise AssertionError(f"{name} depends on the plan")

    @staticmethod
    def read(folder, name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return file.read()

    def tables(self):
        return self.read(self.source, "plan.h")

    def write(self, tables):
        with open(os.path.join(self.source, "plan.h"), "w", encoding="utf-8") as file:
            file.write(tables)

    def compile(self):
        if not os.path.exists(os.path.join(self.build, "Makefile")):
            launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
            done = run(["cmake", "-S", self.source, "-B", self.build, "-G", "Unix Makefiles", *launcher,
                        "-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_CXX_FLAGS={FLAGS}"])
            if done.returncode != 0:
                raise AssertionError(f"cmake failed\n{done.stdout}{done.stderr}")
        done = run(["cmake", "--build", self.build], timeout=600)
        if done.returncode != 0:
            raise AssertionError(f"not compiled\n{done.stdout}{done.stderr}")

    def start(self, ranks, *options):
        return run(["mpirun", "-np", str(ranks), os.path.join(self.build, "plan_mpi"), *options],
                   env=ENVIRONMENT)


def check_run(program, plan, work):
    """Runs the plan and compares what was executed with the printed plan."""
    times = os.path.join(work, "times.json")
    done = program.start(plan.ranks, "--scale", plan.scale, "--steps", "1", "--json", times)
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
    done = program.start(plan.ranks, "--scale", plan.scale, "--timeout", "3")
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
    os.makedirs(work, exist_ok=True)
    program, failed = Program(os.path.abspath(given.dplc), work), 0
    for plan in plans.ALL:
        if given.only and given.only not in plan.name:
            continue
        began = time.monotonic()
        try:
            program.emit(plan)
            program.compile()
            print(f"ok       {plan.name}: {check_run(program, plan, work)} "
                  f"({time.monotonic() - began:.1f} s)", flush=True)
            for swap in plan.swaps:
                program.emit(plan)
                print(f"found    {plan.name}, {swap.name}: {check_swap(program, plan, swap)}", flush=True)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"FAILED   {plan.name}: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
