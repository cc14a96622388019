"""The releases of Megatron-LM, and how a program of this folder is run with one of them."""
import glob
import os
import subprocess
import sys

import environment

SKIPPED = 77

HERE = os.path.dirname(os.path.abspath(__file__))
NEWEST = "0.19"
REQUIREMENTS = {NEWEST: "megatron.txt"} | {v: f"megatron_{v.replace('.', '_')}.txt"
                                          for v in ("0.15", "0.16", "0.17", "0.18")}


def run_inside(release, folder, checkout=None):
    """Runs this program again with `--inside`, by the Python of the release; environment.Unavailable without one.

    `checkout` is a working copy of Megatron-LM, which has the argument parser that wheels before 0.17 lack.
    """
    folder = os.path.abspath(folder)
    python = environment.make(folder, os.path.join(HERE, REQUIREMENTS[release]))
    engine = environment.make(folder, os.path.join(HERE, "transformer_engine.txt"))
    packages = os.path.dirname(os.path.dirname(engine))
    found = glob.glob(os.path.join(packages, "lib", "*", "site-packages", "transformer_engine"))
    more = {"DPL_TRANSFORMER_ENGINE": found[0]}
    if checkout:
        more["PYTHONPATH"] = os.path.abspath(checkout)
    return subprocess.run([python, *sys.argv, "--inside"], env=environment.variables(**more), check=False).returncode


def judged(given):
    """What a program ends with that the options ask to run with a release: as it does inside, or skipped, with the reason."""
    try:
        return run_inside(given.release, given.environment, given.checkout)
    except environment.Unavailable as why:
        print(f"skipped: {why}")
        return SKIPPED
