#!/usr/bin/env python3
"""Layouts and launches that have to be refused, each by another rule: by dplc, and by Megatron-LM.

    python3 refuse.py --dplc build/release/dplc

The corpus is ../refused/megatron. The first line of a layout says the rule and how Megatron-LM's own code refuses, the
second holds the numbers that its options are made of; the rest is the layout as dplc reads it. In launches/ are
scripts for what no plan can say, as dplc writes it right: `dplc import megatron` refuses them at the option, and
Megatron-LM refuses what they start. Exit status: 0 all as they say, 1 not so, 77 when an environment cannot be had.
"""
import argparse
import glob
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(os.path.dirname(HERE), "refused", "megatron")
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import agreement  # noqa: E402
import device  # noqa: E402
import draw  # noqa: E402
import environment  # noqa: E402
import releases  # noqa: E402
from launcher import Launch  # noqa: E402

UNREACHABLE, INEXPRESSIBLE = "strikes on a GPU", "no option"


class Layout:
    """`// refused by M9: Configure ValueError`, `// draw {…}`, and the layout."""

    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            first, second, self.text = file.read().split("\n", 2)
        rule, self.fate = first.removeprefix("// refused by ").split(": ", 1)
        self.rule, _, release = rule.partition(" in ")
        self.release = release or releases.NEWEST
        numbers = json.loads(second.removeprefix("// draw "))
        self.layout = draw.Draw(**{k: tuple(v) if isinstance(v, list) else v for k, v in numbers.items()})

    def mistake(self, dplc, folder):
        """What is not as the file says, or None."""
        if self.text != self.layout.dpl().split("\n", 1)[1]:
            return "the text is not the layout of its second line"
        codes = set(agreement.ask(dplc, f"megatron@{self.release}", self.text, folder, self.name).codes)
        return None if codes == {self.rule} else f"dplc refuses by {sorted(codes) or 'nothing'}, not {self.rule}"

    def refusal(self, megatron):
        try:
            return megatron.refusal(self.layout)
        except agreement.Inexpressible as why:
            return f"{INEXPRESSIBLE}: {why}"


class Script:
    """`# refused by Configure ValueError`, `# dplc says: …`, and the launch."""
    release = releases.NEWEST

    def __init__(self, path):
        self.path, self.name = path, os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.fate = self.lines[1].removeprefix("# refused by ")
        self.rule = self.lines[2].removeprefix("# dplc says: ")

    def mistake(self, dplc, _):
        done = subprocess.run([dplc, "import", "megatron", self.path], capture_output=True, text=True, check=False)
        said = re.findall(r"^error\[(DPL\d+)\]: (.*)\n +--> (.*):(\d+):\d+$", done.stderr, re.MULTILINE)
        if done.returncode == 0 or done.stderr.count("error[") != 1 or not said:
            return f"dplc says {done.stderr or 'nothing'}"
        code, message, _, line = said[0]
        if code != "DPL0816" or self.rule not in message:
            return f"dplc says {message}, not {self.rule}"
        return None if "--" in self.lines[int(line) - 1] else f"dplc points at line {line}, where no option is"

    def refusal(self, megatron):
        return megatron.refusal_of_launch(Launch(self.path))


def corpus():
    return ([Layout(path) for path in sorted(glob.glob(os.path.join(CORPUS, "*.dpl")))]
            + [Script(path) for path in sorted(glob.glob(os.path.join(CORPUS, "launches", "*.sh")))])


def judged_by_dplc(cases, dplc):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            if mistake := case.mistake(dplc, folder):
                print(f"FAILED   {case.name}: {mistake}")
                wrong += 1
    rules = [(case.rule, case.fate) for case in cases]
    if len(set(rules)) != len(rules):
        print("FAILED   two layouts are refused by the same rule at the same stage")
        wrong += 1
    return wrong


def judged_by_megatron(cases):
    import client
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    megatron, wrong, counts = client.Client(), 0, {"refused": 0, INEXPRESSIBLE: 0}
    device.guard(megatron.torch)
    release = ".".join(map(str, megatron.release))
    for case in cases:
        if case.release != release or case.fate == UNREACHABLE:
            continue
        said = case.refusal(megatron) or "accepted"
        device.check()
        if not said.startswith(case.fate):
            print(f"FAILED   {case.name}: {said}, not {case.fate}")
            wrong += 1
        else:
            counts[INEXPRESSIBLE if case.fate == INEXPRESSIBLE else "refused"] += 1
            print(f"refused  {case.name}: {case.rule}, {' '.join(said.split())[:110]}")
    print(f"-- Megatron-LM {release} refused {counts['refused']}, {counts[INEXPRESSIBLE]} it has no option for, "
          f"{wrong} not as they should be", flush=True)
    return wrong


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dplc", default="build/release/dplc")
    options.add_argument("--environment", default="build/conformance", help="where Megatron-LM is kept")
    options.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    cases = corpus()
    if given.inside:
        return int(judged_by_megatron(cases) > 0)
    wrong = judged_by_dplc(cases, given.dplc)
    gpu = sum(case.fate == UNREACHABLE for case in cases)
    print(f"-- dplc refused {len(cases) - wrong} of {len(cases)}, {gpu} of which Megatron-LM refuses on a GPU only",
          flush=True)
    skipped = set()
    for release in sorted({case.release for case in cases}, reverse=True):
        try:
            wrong += releases.run_inside(release, given.environment) != 0
        except environment.Unavailable as why:
            print(f"skipped: the cases of {release}, {why}", flush=True)
            skipped.add(release)
    if wrong:
        return 1
    return releases.SKIPPED if releases.NEWEST in skipped else 0


if __name__ == "__main__":
    sys.exit(main())
