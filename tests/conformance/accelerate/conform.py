#!/usr/bin/env python3
"""Asks Accelerate whether it takes what `dplc emit accelerate` writes, and refuses what dplc refuses.

    python3 conform.py --dplc build/debug/tools/dplc examples/fsdp_hybrid_7b_two_sites.dpl …

Each argument is a .dpl file to emit, or a folder that was emitted. Makes the environment for Accelerate on the
first run and uses it again afterwards. Exit status: 0 all as it should be, 1 not so, 77 no environment.
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
import legal  # noqa: E402

SKIPPED = 77


def emit(dplc, source, folder):
    """Writes the folder anew; what dplc says on failure, or None."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    done = subprocess.run([dplc, "emit", "accelerate", source, "-o", folder], capture_output=True, text=True,
                          check=False)
    return None if done.returncode == 0 else (done.stderr or done.stdout).strip()


def hostile(dplc, source, out):
    """A folder with a name that a shell would take apart, of a plan whose file has such a name too."""
    name = "it's \"two\" $(false) `false`; ünï #"
    copy, folder = os.path.join(out, f"{name}\nfalse.dpl"), os.path.join(out, name)
    os.makedirs(out, exist_ok=True)
    shutil.copyfile(source, copy)
    error = emit(dplc, copy, folder)
    if error:
        print(f"FAILED   {copy!r}: not emitted\n{error}")
    return folder


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where Accelerate is kept")
    options.add_argument("--work", default="build/conformance/work", help="where folders are emitted to")
    options.add_argument("--dplc", help="the compiler, for .dpl files and random layouts")
    options.add_argument("--random", type=int, default=0, metavar="N", help="judge N random legal layouts too")
    options.add_argument("--seed", type=int, default=1, help="of the random layouts")
    options.add_argument("--self-test", action="store_true",
                         help="damaged copies and a list of illegal layouts have to be refused")
    options.add_argument("inputs", nargs="*")
    given = options.parse_args()
    try:
        python = environment.make(os.path.abspath(given.environment), os.path.join(HERE, "accelerate.txt"))
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
    if given.self_test and given.inputs:
        folders.append(hostile(given.dplc, given.inputs[0], out))
    if given.random:
        made, errors = legal.emit_all(given.dplc, given.seed, given.random, os.path.join(out, "random"))
        folders += made
        failed += errors
    judge = [python, os.path.join(HERE, "judge.py"), *folders]
    if given.self_test:
        judge += ["--refused", given.dplc, "--damaged", *damage.make(folders, os.path.join(out, "damaged"))]
    failed += subprocess.run(judge, check=False, env=environment.variables(PYTHONPATH=COMMON)).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
