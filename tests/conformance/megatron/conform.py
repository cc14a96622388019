#!/usr/bin/env python3
"""Asks Megatron-LM whether it accepts what `dplc emit megatron` writes.

    python3 conform.py --dplc build/release/dplc examples/gpt3_175b_a100.dpl …

Each argument is a .dpl file to emit, or a folder that was emitted. Makes the environment for Megatron-LM
on the first run (about half a minute, 4.6 GB) and uses it again afterwards.
Exit status: 0 all accepted, 1 not so, 77 when the environment cannot be had on this machine.
"""
import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COMMON = os.path.join(os.path.dirname(HERE), "common")
sys.path.insert(1, COMMON)

import damage  # noqa: E402
import environment  # noqa: E402
import random_layouts  # noqa: E402

SKIPPED = 77


def emit(dplc, source, folder):
    """Writes the folder anew; what dplc says on failure, or None."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    done = subprocess.run([dplc, "emit", "megatron", source, "-o", folder], capture_output=True, text=True,
                          check=False)
    return None if done.returncode == 0 else (done.stderr or done.stdout).strip()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where Megatron-LM is kept")
    options.add_argument("--work", default="build/conformance/work", help="where folders are emitted to")
    options.add_argument("--dplc", help="the compiler, for .dpl files and random layouts")
    options.add_argument("--random", type=int, default=0, metavar="N", help="judge N random legal layouts too")
    options.add_argument("--seed", type=int, default=1, help="of the random layouts")
    options.add_argument("--self-test", action="store_true", help="damaged copies have to be refused")
    options.add_argument("inputs", nargs="*")
    given = options.parse_args()
    try:
        python = environment.make(os.path.abspath(given.environment), os.path.join(HERE, "megatron.txt"))
    except environment.Unavailable as why:
        print(f"skipped: {why}")
        return SKIPPED
    out, failed, folders = os.path.abspath(given.work), 0, []
    for source in given.inputs:
        if os.path.isdir(source):
            folders.append(source)
            continue
        folder = os.path.join(out, os.path.splitext(os.path.basename(source))[0])
        error = emit(given.dplc, source, folder)
        if error is None:
            folders.append(folder)
        else:
            print(f"FAILED   {source}: not emitted\n{error}")
            failed += 1
    if given.random:
        made, errors = random_layouts.emit_all(given.dplc, given.seed, given.random, os.path.join(out, "random"))
        folders += made
        failed += errors
    judge = [python, os.path.join(HERE, "judge.py"), *folders]
    if given.self_test and folders:
        judge += ["--damaged", *damage.make(folders, os.path.join(out, "damaged"))]
    if folders:
        failed += subprocess.run(judge, check=False, env=environment.variables(PYTHONPATH=COMMON)).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
