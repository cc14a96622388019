#!/usr/bin/env python3
"""Starts emitted PyTorch modules by their launch.sh, with torchrun and gloo, and reads what they find.

    python3 start.py --dplc build/debug/tools/dplc plans/*.dpl

Every module compares its groups with the plan's and its losses with those of one process. A damaged copy, whose
first group has another stride, has to find that out.
Exit status: 0 all as it should be, 1 not so, 77 when PyTorch cannot be had on this machine.
"""
import argparse
import ast
import os
import re
import shutil
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import environment  # noqa: E402
import folders as emitted  # noqa: E402

SECONDS = 400  # for one module; some 10 on an idle machine


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def unused(path):
    """Top-level names of a module that it never uses."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    defined = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            defined |= {t.id for t in node.targets}
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            defined |= {(a.asname or a.name).split(".")[0] for a in node.names}
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return sorted(defined - used)


def start(folder, python):
    """What the module prints, and whether it ended well."""
    env = dict(os.environ, PATH=os.path.dirname(python) + os.pathsep + os.environ.get("PATH", ""),
               MASTER_PORT=str(free_port()), GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1")
    command = ["bash", os.path.join(folder, "launch.sh"), "--backend", "gloo"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no end after {SECONDS} s", False
    return done.stdout + done.stderr, done.returncode == 0


def damage(folder):
    """A copy whose first group is said to have another stride."""
    copy = folder + "-damaged"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    path = os.path.join(copy, "train.py")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r'(GROUPS = \{.*\n    "\w+": \[\(\d+, )(\d+)', lambda m: m[1] + ("1" if m[2] != "1" else "2"),
                          text, count=1))
    return copy


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where PyTorch is kept")
    options.add_argument("--work", default="build/conformance/pytorch", help="where folders are emitted to")
    options.add_argument("--dplc", default="build/debug/tools/dplc", help="the compiler")
    options.add_argument("inputs", nargs="+")
    given = options.parse_args()
    try:
        python = environment.make(os.path.abspath(given.environment), os.path.join(HERE, "pytorch.txt"))
    except environment.Unavailable as why:
        print(f"skipped: {why}")
        return 77
    folders, failed = emitted.Emitter(given.dplc, "pytorch", os.path.abspath(given.work)).given(given.inputs)
    for folder in folders:
        begin = time.monotonic()
        said, well = start(folder, python)
        dead = unused(os.path.join(folder, "train.py"))
        well = well and "steps are as in the plan" in said and not dead
        lines = [line for line in said.splitlines() if line.strip()]
        told = (lines if well else lines[-12:] + [f"unused: {dead}"] if dead else lines[-12:])
        print(f"{'ran' if well else 'FAILED':8} {os.path.basename(folder)} ({time.monotonic() - begin:.0f} s)")
        print("\n".join("    " + line for line in told if well is False or " loss " in line or "groups" in line),
              flush=True)
        failed += not well
    if folders:
        said, well = start(damage(folders[0]), python)
        found = not well and "not as in the plan" in said
        print(f"{'refused' if found else 'FAILED':8} a damaged copy of {os.path.basename(folders[0])}", flush=True)
        failed += not found
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
