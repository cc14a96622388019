"""What the judges share: the plan's side of a comparison, what launch.sh starts, and the command.

    python judge.py FOLDER... [--refused DPLC] [--damaged FOLDER...]

A judge runs in the environment that environment.py makes; the plan's side is plan.json.
"""
import argparse
import contextlib
import functools
import importlib
import io
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time

import device
import forks

SCRIPT = ["train me.py", "--name", "$(false) \"it's\""]  # the user's script and its arguments

EVERY_RANK, SAMPLED_RANKS = 512, 6

# Writes its arguments and variables, as the launcher would see them.
RECORDER = """
import json, os, sys
with open(os.environ["DPL_RECORD"], "w", encoding="utf-8") as file:
    json.dump({"arguments": sys.argv[1:], "variables": dict(os.environ)}, file)
"""


class Difference(Exception):
    """The framework and the plan say different things."""


def short(value):
    text = str(value)
    return text if len(text) <= 120 else text[:60] + " … " + text[-60:]


def same(what, found, plan):
    if found != plan:
        raise Difference(f"{what}: it has {short(found)}, the plan {short(plan)}")


def read_json(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def axes_of(plan, grid):
    """(size, stride) by axis."""
    return {axis["axis"]: (axis["size"], axis["stride"]) for axis in plan[grid]}


def members(rank, factors):
    """The ranks that differ from `rank` in the given (count, stride) digits only, ascending."""
    ranks = [rank]
    for count, stride in factors:
        ranks = [r - (r // stride % count) * stride + i * stride for r in ranks for i in range(count)]
    return sorted(ranks)


# What a job says of checkpoints, by the contract of docs/targets/launchers.md.
CHECKPOINTS = {"CHECKPOINT_DIR": "the $(saved) \"ones\"", "CHECKPOINT_INTERVAL": "250", "CHECKPOINT_KEEP": "3",
               "CHECKPOINT_MODE": "async"}


def launched(folder, program, arguments=tuple(SCRIPT), **more):
    """{"arguments": …, "variables": …}: what launch.sh hands to a program, run on the first node with a stand-in;
    `more` variables are in its environment."""
    with tempfile.TemporaryDirectory() as scratch:
        stub, record = os.path.join(scratch, program), os.path.join(scratch, "record.json")
        with open(stub, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -IS -c {shlex.quote(RECORDER)} \"$@\"\n")
        os.chmod(stub, 0o755)
        variables = {"PATH": scratch + os.pathsep + os.environ.get("PATH", ""), "HOME": scratch,
                     "DPL_RECORD": record, "NODE_RANK": "0", "MASTER_ADDR": "localhost", **more}
        done = subprocess.run(["bash", os.path.join(folder, "launch.sh"), *arguments], cwd=scratch, env=variables,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0 or not os.path.exists(record):
            raise AssertionError(f"launch.sh failed: {(done.stderr or done.stdout).strip()}")
        return read_json(scratch, "record.json")


@contextlib.contextmanager
def quiet():
    """What is printed inside goes there."""
    noise = io.StringIO()
    with contextlib.redirect_stdout(noise), contextlib.redirect_stderr(noise):
        yield noise


def verdict_on(judge, folder):
    """(accepted, one line, seconds) for a folder; a framework reports by assert, ValueError, exit and more."""
    start = time.monotonic()
    try:
        with quiet() as said:
            accepted, says = True, judge(folder)
    except (Exception, SystemExit) as error:
        text = str(error)
        if isinstance(error, SystemExit):  # argparse prints its message
            text = said.getvalue().rsplit("error:", 1)[-1]
        accepted, says = False, f"{type(error).__name__}: {' '.join(text.split()) or 'no message'}"
    device.check()
    return accepted, says, time.monotonic() - start


def ranks_of(plan, every=EVERY_RANK):
    """Every rank, or of a world of more than `every` the ends and some between, the same on every run."""
    world = plan["devices"]
    if world <= every:
        return range(world)
    return sorted({0, world - 1, *random.Random(plan["hash"]).sample(range(world), SAMPLED_RANKS)})


def main(make):
    """`make()` imports the framework and gives its name and release, the judge, and what `--refused` asks or None.

    judge(folder) is one line of praise, or an exception that says what is wrong. refused(dplc) counts the layouts of
    refused.py that are not refused as they should be."""
    options = argparse.ArgumentParser(description="Lets a framework judge emitted folders.")
    options.add_argument("folders", nargs="*")
    options.add_argument("--damaged", nargs="*", default=[], help="folders that have to be refused")
    options.add_argument("--refused", metavar="DPLC", help="the layouts of refused.py have to be refused by both")
    given = options.parse_args()
    begin = time.monotonic()
    framework, judge, refused = make()
    print(f"-- {framework} loaded in {time.monotonic() - begin:.1f} s", flush=True)
    device.guard(importlib.import_module("torch"))
    wrong, folders = 0, [*given.folders, *given.damaged]
    verdicts = forks.each(functools.partial(verdict_on, judge), folders)
    for index, (folder, (accepted, says, seconds)) in enumerate(zip(folders, verdicts)):
        damaged = index >= len(given.folders)
        wrong += accepted == damaged
        word = ("MISSED" if accepted else "refused") if damaged else ("ok" if accepted else "FAILED")
        print(f"{word:8} {os.path.basename(os.path.normpath(folder))}: {says} ({seconds:.1f} s)", flush=True)
    print(f"-- {len(given.folders)} folders and {len(given.damaged)} damaged ones judged by {framework} in "
          f"{time.monotonic() - begin:.1f} s, {wrong} not as they should", flush=True)
    if given.refused:
        wrong += refused(given.refused)
    return wrong != 0
