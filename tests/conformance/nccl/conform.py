#!/usr/bin/env python3
"""Compiles and links what `dplc emit nccl` writes, without a warning, against several releases of NCCL.

    python3 conform.py --dplc build/release/dplc --work build/conformance/nccl examples/smallest.dpl …

The releases are those of the requirement files beside this script, from PyPI, and that of the machine's
CUDA where it has one; --release 2.24.3 asks for another. Without a GPU the programs are not run, but for
--help and the message that there is no device; with one a plan of one rank runs.

Where there is an MPI, the program is then linked with standin/StandIn.cpp in place of CUDA and NCCL, and runs
the plans of the MPI twin with all their checks.
Exit status: 0 all well, 1 not so, 77 when no release can be had on this machine.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("common", "mpi")]

import environment  # noqa: E402
import plans  # noqa: E402
from program import FLAGS, Program, programs, run  # noqa: E402
from running import judged, missing  # noqa: E402

SKIPPED = 77
ONE = os.path.join(os.path.dirname(HERE), "mpi", "plans", "dense.dpl")
ONE_RANK = [ONE, *(part for setting in ("box.node.gpus=1", "dense.mesh.pipeline=1", "dense.mesh.tensor=1")
                   for part in ("--set", setting))]


class Release:
    """Where one NCCL is, and the arguments that make cmake find it."""

    def __init__(self, header, configure, include, flags=FLAGS):
        with open(header, encoding="utf-8") as file:
            numbers = dict(re.findall(r"#define NCCL_(MAJOR|MINOR|PATCH) (\d+)", file.read()))
        self.name = ".".join(numbers[part] for part in ("MAJOR", "MINOR", "PATCH"))
        self.configure, self.include, self.flags = configure, include, flags

    @staticmethod
    def of_machine():
        """That of CUDA_HOME or /usr/local/cuda, or None."""
        home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
        header = os.path.join(home, "include", "nccl.h")
        return Release(header, [f"-DCUDA_HOME={home}"], [f"{home}/include"]) if os.path.exists(header) else None

    @staticmethod
    def of_packages(python):
        """That of an environment."""
        packages = glob.glob(os.path.join(os.path.dirname(os.path.dirname(python)), "lib", "python*",
                                          "site-packages", "nvidia"))[0]
        nccl, cuda, nvcc = (os.path.join(packages, part) for part in ("nccl", "cuda_runtime", "cuda_nvcc"))
        configure = [f"-DNCCL_INCLUDE={nccl}/include", f"-DNCCL_LIBRARY={nccl}/lib/libnccl.so.2",
                     f"-DCUDA_INCLUDE={cuda}/include", f"-DCUDA_LIBRARY={cuda}/lib/libcudart.so.12"]
        return Release(f"{nccl}/include/nccl.h", configure, [f"{part}/include" for part in (nccl, cuda, nvcc)],
                       f"{FLAGS} -isystem {nvcc}/include")

    def has_all_to_all(self):
        """Before 2.28 the program makes one of sends and receives."""
        return tuple(map(int, self.name.split(".")))[:2] >= (2, 28)


def requirements(release, work):
    """A file that asks for another release of NCCL, with the CUDA of the newest one here."""
    with open(os.path.join(HERE, "nccl-2.30.txt"), encoding="utf-8") as file:
        text = re.sub(r"nccl-cu12==.*", f"nccl-cu12=={release}", file.read())
    path = os.path.join(work, f"nccl-{release}.txt")
    os.makedirs(work, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def releases(folder, work, more):
    """What can be had, and why the rest cannot."""
    found, why = [], []
    machine = Release.of_machine()
    if machine:
        found.append(machine)
    for path in sorted(glob.glob(os.path.join(HERE, "nccl-*.txt"))) + [requirements(r, work) for r in more]:
        try:
            found.append(Release.of_packages(environment.make(folder, path)))
        except environment.Unavailable as error:
            why.append(f"{os.path.basename(path)}: {error}")
    return found, why


def devices():
    listed = run(["nvidia-smi", "-L"]).stdout if shutil.which("nvidia-smi") else ""
    return listed.count("GPU ")


def judge(program, name, inputs):
    for source in inputs:
        began = time.monotonic()
        program.emit([source])
        program.compile()
        print(f"ok       NCCL {name}: {os.path.basename(source)} compiled and linked "
              f"({time.monotonic() - began:.1f} s)", flush=True)
    usage = run([program.binary, "--help"])
    if usage.returncode != 0 or "--timeout" not in usage.stdout:
        raise AssertionError(f"--help ends with {usage.returncode}\n{usage.stderr}")
    if devices() == 0:
        done = run([program.binary])
        if done.returncode != 1 or not done.stderr.startswith("rank 0: "):
            raise AssertionError(f"without a device it ends with {done.returncode}\n{done.stderr}")
        print(f"note: not run with NCCL {name}, there is no GPU: {done.stderr.strip()}")
        return
    program.emit(ONE_RANK)
    program.compile()
    done = run([program.binary, "--scale", "0.01"])
    if done.returncode != 0:
        raise AssertionError(f"a plan of one rank ends with {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"ok       NCCL {name}: {done.stdout.strip()}")


def judge_order(dplc, release, work, which):
    """Plans of the MPI twin with the stand-in for the libraries; the number that failed."""
    library = os.path.join(work, "libstandin.so")
    os.makedirs(work, exist_ok=True)
    done = run(["mpicxx", "-std=c++17", "-shared", "-fPIC", *(f"-isystem{path}" for path in release.include),
                os.path.join(HERE, "standin", "StandIn.cpp"), "-o", library])
    if done.returncode != 0:
        print(f"FAILED   the stand-in is not compiled\n{done.stderr}")
        return 1
    libraries = [f"-DNCCL_LIBRARY={library}", f"-DCUDA_LIBRARY={library}"]
    made = programs(dplc, "nccl", work, [*release.configure, *libraries], release.flags)
    return judged(made, which, work, f"stand-in, {release.name}, ")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dplc", required=True)
    options.add_argument("--environment", default="build/conformance", help="where packages are kept")
    options.add_argument("--work", default="build/conformance/nccl", help="where programs are built")
    options.add_argument("--release", action="append", default=[], help="another release of NCCL, as PyPI names it")
    options.add_argument("inputs", nargs="+")
    given = options.parse_args()
    if shutil.which("cmake") is None or shutil.which("c++") is None:
        print("skipped: there is no cmake or no c++")
        return SKIPPED
    work = os.path.abspath(given.work)
    found, why = releases(os.path.abspath(given.environment), work, given.release)
    for line in why:
        print(f"skipped: {line}")
    if not found:
        return SKIPPED
    failed = 0
    for release in found:
        program = Program(given.dplc, "nccl", os.path.join(work, release.name), release.configure, release.flags)
        try:
            judge(program, release.name, given.inputs)
        except AssertionError as error:
            failed += 1
            print(f"FAILED   NCCL {release.name}: {error}", flush=True)
    if missing():
        print(f"skipped: the stand-in, {missing()}")
        return 1 if failed else 0
    newest = max(found, key=lambda release: release.has_all_to_all())
    failed += judge_order(given.dplc, newest, os.path.join(work, "standin"), plans.OVER_NCCL)
    older = [release for release in found if not release.has_all_to_all()]
    if older and newest is not older[0]:
        with_experts = [plan for plan in plans.OVER_NCCL if "experts, 1f1b" in plan.name]
        failed += judge_order(given.dplc, older[0], os.path.join(work, "standin-older"), with_experts)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
