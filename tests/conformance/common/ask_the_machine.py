#!/usr/bin/env python3
"""A judge whose framework asks the machine at hand has to fail, however the framework asks and hides it.

    python3 ask_the_machine.py --environment build/conformance

Exit status: 0 every question is refused and those about the plan's device are answered, 1 not so, 77 without PyTorch.
"""
import argparse
import functools
import os
import subprocess
import sys

import device
import environment
import forks
import judging

HERE = os.path.dirname(os.path.abspath(__file__))


def hidden(ask):
    """As a framework that takes no answer for a small one."""
    def judge(_):
        try:
            return ask()
        except:  # noqa: E722  pylint: disable=bare-except
            return 1
    return judge


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def questions(torch):
    return {"cores": os.cpu_count, "cores of this process": lambda: os.sched_getaffinity(0),
            "16-bit products": torch.ops.mkldnn._is_mkldnn_fp16_supported, "AVX-512": torch.cpu._is_avx512_supported,
            "instructions": torch.backends.cpu.get_cpu_capability, "processor": lambda: read("/proc/cpuinfo"),
            "memory": lambda: read("/proc/meminfo"), "devices": lambda: subprocess.run(["lspci"], check=False)}


def inside():
    import torch
    device.stand_in(torch)
    device.guard(torch)
    wrong = 0
    if torch.cuda.get_device_capability() != device.CAPABILITY or torch.cuda.mem_get_info()[1] != device.MEMORY:
        print("FAILED   torch.cuda does not answer for the plan's device")
        wrong += 1
    for name, ask in questions(torch).items():
        for judge in (lambda _, ask=ask: ask(), hidden(ask)):
            try:
                verdict, = forks.each(functools.partial(judging.verdict_on, judge), ["."])
            except RuntimeError:  # the fork died of it
                continue
            print(f"FAILED   {name}: the machine was asked, and the verdict is {verdict}")
            wrong += 1
    print(f"-- {len(questions(torch))} questions, openly and hidden, {wrong} answered", flush=True)
    return wrong != 0


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where PyTorch is kept")
    options.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.inside:
        return inside()
    try:
        python = environment.make(os.path.abspath(given.environment), os.path.join(HERE, "../pytorch/pytorch.txt"))
    except environment.Unavailable as why:
        print(f"skipped: {why}")
        return 77
    command = [python, os.path.abspath(__file__), "--inside"]
    # The tracebacks of what has to fail are not shown.
    return subprocess.run(command, check=False, env=environment.variables(), stderr=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
