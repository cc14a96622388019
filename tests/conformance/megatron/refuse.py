#!/usr/bin/env python3
"""Layouts that have to be refused, each by another rule: by dplc with that rule alone, and by Megatron-LM.

    python3 refuse.py --dplc build/debug/tools/dplc

The corpus is ../refused/megatron/*.dpl. The first line of a file says the rule and how Megatron-LM's own code
refuses, the second holds the numbers that its options are made of; the rest is the layout as dplc reads it.
Exit status: 0 all as they say, 1 not so, 77 when the environment cannot be had on this machine.
"""
import argparse
import glob
import json
import logging
import os
import subprocess
import sys
import tempfile
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(os.path.dirname(HERE), "refused", "megatron")
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import agreement  # noqa: E402
import draw  # noqa: E402
import environment  # noqa: E402

SKIPPED = 77
UNREACHABLE = "strikes on a GPU"


class Case:
    """`// refused by M9: Configure ValueError`, `// draw {…}`, and the layout."""

    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            first, second, self.text = file.read().split("\n", 2)
        rule, self.fate = first.removeprefix("// refused by ").split(": ", 1)
        self.rule, _, release = rule.partition(" in ")
        self.release = release or "0.19"
        numbers = json.loads(second.removeprefix("// draw "))
        self.layout = draw.Draw(**{k: tuple(v) if isinstance(v, list) else v for k, v in numbers.items()})

    def same(self):
        """Whether the text is the layout of the numbers."""
        return self.text == self.layout.dpl().split("\n", 1)[1]


def judged_by_dplc(cases, dplc):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            codes = set(agreement.ask(dplc, f"megatron@{case.release}", case.text, folder, case.name).codes)
            if not case.same():
                print(f"FAILED   {case.name}: the text is not the layout of its second line")
            elif codes != {case.rule}:
                print(f"FAILED   {case.name}: dplc refuses by {sorted(codes) or 'nothing'}, not {case.rule}")
            else:
                continue
            wrong += 1
    return wrong


def judged_by_megatron(cases):
    import client
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    megatron, wrong, reached = client.Client(), 0, 0
    for case in cases:
        if case.release != ".".join(map(str, megatron.release)) or case.fate == UNREACHABLE:
            continue
        try:
            said = megatron.refusal(case.layout)
        except agreement.Inexpressible as why:
            said = f"no option: {why}"
        reached += 1
        if not (said or "accepted").startswith(case.fate):
            print(f"FAILED   {case.name}: {said or 'accepted'}, not {case.fate}")
            wrong += 1
        else:
            print(f"refused  {case.name}: {case.rule}, {' '.join(said.split())[:110]}")
    print(f"-- {len(cases)} layouts, {reached} of them judged by Megatron-LM, {wrong} not as they should")
    return wrong


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dplc", default="build/debug/tools/dplc")
    options.add_argument("--environment", default="build/conformance", help="where Megatron-LM is kept")
    options.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    cases = [Case(path) for path in sorted(glob.glob(os.path.join(CORPUS, "*.dpl")))]
    if given.inside:
        return int(judged_by_megatron(cases) > 0)
    wrong = judged_by_dplc(cases, given.dplc)
    rules = [(case.rule, case.fate) for case in cases]
    if len(set(rules)) != len(rules):
        print("FAILED   two layouts are refused by the same rule at the same stage")
        wrong += 1
    try:
        python = environment.make(os.path.abspath(given.environment), os.path.join(HERE, "megatron.txt"))
    except environment.Unavailable as why:
        print(f"skipped: {why}")
        return 1 if wrong else SKIPPED
    wrong += subprocess.run([python, *sys.argv, "--inside"], check=False).returncode
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
