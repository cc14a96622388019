#!/usr/bin/env python3
"""Asks torchtitan whether it accepts what `dplc emit torchtitan` writes, and refuses what dplc refuses.

    python3 conform.py --dplc build/release/dplc plan.dpl …
    python3 conform.py --dplc build/release/dplc --random 100 --refused

Makes an environment for each release on the first run (about half a minute and 5 GB) and uses it again afterwards.
Exit status: 0 all as it should be, 1 not so, 77 when no environment can be had on this machine.
"""
import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import damage  # noqa: E402
import environment  # noqa: E402
import folders  # noqa: E402
import layouts  # noqa: E402

SKIPPED = 77
HOSTILE = "it's \"a\" $(touch hostile) `b` \\ é\n[job]\nexit.dpl"  # the name of a plan's file
RELEASES = ("0.2.2", "0.3.0")


def hostile_copy(source, out):
    """A copy of a plan under a name that a shell, TOML or Python would act on."""
    os.makedirs(os.path.join(out, "names"), exist_ok=True)
    return shutil.copyfile(source, os.path.join(out, "names", HOSTILE))


def emitted(given, release, out):
    """(folders of the plans and the random layouts, failures)"""
    emitter = folders.Emitter(given.dplc, f"torchtitan@{release}", out, {"report.json": ("report", "--json")})
    made, failed = emitter.given(given.inputs)
    if given.inputs:
        made.append(os.path.join(out, "hostile"))
        error = emitter.emit(hostile_copy(given.inputs[-1], out), made[-1])
        if error:
            print(f"FAILED   hostile: not emitted\n{error}")
    if given.random:
        random, wrong = emitter.random(layouts.draws(4 * given.random, given.seed, release), given.random)
        made, failed = made + random, failed + wrong
    return made, failed


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where torchtitan is kept")
    options.add_argument("--work", default="build/conformance/torchtitan", help="where folders are emitted to")
    options.add_argument("--dplc", default="build/release/dplc", help="the compiler")
    options.add_argument("--release", choices=RELEASES, action="append", help="both, unless said")
    options.add_argument("--random", type=int, default=0, metavar="N", help="judge N random legal layouts too")
    options.add_argument("--seed", type=int, default=1, help="of the random layouts")
    options.add_argument("--refused", action="store_true",
                         help="damaged copies and the layouts of refused.py have to be refused, and Flavors.def to fit")
    options.add_argument("inputs", nargs="*")
    given = options.parse_args()
    failed, skipped = 0, []
    for release in given.release or RELEASES:
        print(f"-- torchtitan {release}", flush=True)
        try:
            python = environment.make(os.path.abspath(given.environment),
                                      os.path.join(HERE, f"torchtitan-{release}.txt"))
        except environment.Unavailable as why:
            skipped.append(f"skipped: torchtitan {release}: {why}")
            continue
        made, wrong = emitted(given, release, os.path.join(os.path.abspath(given.work), release))
        judge = [python, os.path.join(HERE, "judge.py"), *made]
        if given.refused:
            copies = damage.make(made, release, os.path.join(os.path.abspath(given.work), release, "damaged"))
            judge += ["--refused", given.dplc, "--damaged", *copies]
        failed += wrong + (subprocess.run(judge, check=False, env=environment.variables()).returncode != 0)
    for line in skipped:
        print(line)
    return 1 if failed else SKIPPED if len(skipped) == len(given.release or RELEASES) else 0


if __name__ == "__main__":
    sys.exit(main())
