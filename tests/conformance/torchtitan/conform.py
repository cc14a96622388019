#!/usr/bin/env python3
"""Asks torchtitan whether it accepts what `dplc emit torchtitan` writes, and refuses what dplc refuses.

    python3 conform.py --dplc build/debug/tools/dplc plan.dpl …
    python3 conform.py --dplc build/debug/tools/dplc --random 100 --refused

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

import environment  # noqa: E402
import layouts  # noqa: E402

SKIPPED = 77
HOSTILE = "it's \"a\" $(touch hostile) `b` \\ é\n[job]\nexit.dpl"  # the name of a plan's file
RELEASES = ("0.2.2", "0.3.0")


def emit(dplc, release, source, folder):
    """Writes the folder anew, with the plan's report; what dplc says on failure, or None."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    done = subprocess.run([dplc, "emit", f"torchtitan@{release}", source, "-o", folder], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        return (done.stderr or done.stdout).strip()
    report = subprocess.run([dplc, "report", "--json", source], capture_output=True, text=True, check=True)
    with open(os.path.join(folder, "report.json"), "w", encoding="utf-8") as file:
        file.write(report.stdout)
    return None


def hostile_copy(source, out):
    """A copy of a plan under a name that a shell, TOML or Python would act on."""
    os.makedirs(os.path.join(out, "names"), exist_ok=True)
    return shutil.copyfile(source, os.path.join(out, "names", HOSTILE))


def random_folders(dplc, release, count, seed, out):
    """Folders of the first `count` random layouts that dplc accepts."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    made, refused = [], 0
    for layout in layouts.draws(4 * count, seed, release):
        if len(made) == count:
            break
        folder = os.path.join(out, f"{layout.index:03}")
        with open(folder + ".dpl", "w", encoding="utf-8") as file:
            file.write(layout.dpl())
        if emit(dplc, release, folder + ".dpl", folder) is None:
            made.append(folder)
        else:
            refused += 1
    print(f"-- {len(made)} random layouts of seed {seed}; dplc refused {refused} others", flush=True)
    return made


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where torchtitan is kept")
    options.add_argument("--work", default="build/conformance/torchtitan", help="where folders are emitted to")
    options.add_argument("--dplc", default="build/debug/tools/dplc", help="the compiler")
    options.add_argument("--release", choices=RELEASES, action="append", help="both, unless said")
    options.add_argument("--random", type=int, default=0, metavar="N", help="judge N random legal layouts too")
    options.add_argument("--seed", type=int, default=1, help="of the random layouts")
    options.add_argument("--refused", action="store_true", help="the layouts of refused.py have to be refused")
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
        out, folders = os.path.join(os.path.abspath(given.work), release), []
        named = [(os.path.splitext(os.path.basename(source))[0], source) for source in given.inputs]
        if named:
            named.append(("hostile", hostile_copy(given.inputs[-1], out)))
        for name, source in named:
            folder = os.path.join(out, name)
            error = emit(given.dplc, release, source, folder)
            if error is not None:
                print(f"FAILED   {source}: not emitted\n{error}")
                failed += 1
            else:
                folders.append(folder)
        if given.random:
            folders += random_folders(given.dplc, release, given.random, given.seed, os.path.join(out, "random"))
        flavors = os.path.join(HERE, "../../../backends/torchtitan/Flavors.def")
        failed += subprocess.run([python, os.path.join(HERE, "flavors.py"), flavors, release], check=False).returncode
        if folders:
            judge = [python, os.path.join(HERE, "judge.py"), *folders]
            failed += subprocess.run(judge, check=False).returncode != 0
        if given.refused:
            refused = [python, os.path.join(HERE, "refused.py"), release, given.dplc]
            failed += subprocess.run(refused, check=False).returncode != 0
    for line in skipped:
        print(line)
    return 1 if failed else SKIPPED if len(skipped) == len(given.release or RELEASES) else 0


if __name__ == "__main__":
    sys.exit(main())
