"""Does dplc refuse what a target refuses, and nothing else? Asks both about the same drawn layouts.

    agreement.run("megatron@0.19", judge, count=1000, seed=1, dplc="build/release/dplc")

`judge(draw)` returns None when the framework takes the layout and its own words when it refuses, such as
"Configure ValueError: ...". It raises `Inexpressible` when the framework has no option at all for something the
layout says, which counts as a refusal. It runs in the framework's environment; nothing here needs more than the
standard library. dplc is asked once for each layout, in threads beside the judge (20 ms a layout).
"""
import argparse
import collections
import concurrent.futures
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time

import device
import draw as drawing
import environment

WE_ACCEPT_IT_REFUSES = 0.002  # of all layouts
WE_REFUSE_IT_ACCEPTS = 0.02
ENVIRONMENT = dict(os.environ)  # dplc's: a judge changes os.environ beside the threads that start dplc
SHOWN = 12  # cases of each kind in the report


class Inexpressible(Exception):
    """The framework has no option for something that the layout says."""


class Answer:
    """What dplc says of one layout: the codes of its errors, a target's rules as `M17`."""

    def __init__(self, codes, messages):
        self.codes, self.messages = codes, messages

    @property
    def accepted(self):
        return not self.codes


def _codes(diagnostics):
    codes, messages = [], []
    for d in diagnostics:
        if d["severity"] != "error":
            continue
        rule = [n["message"].split("`")[1].split(".")[-1] for n in d["notes"] if n["message"].startswith("rule `")]
        codes.append(rule[0] if rule else d["code"])
        messages.append(d["message"])
    return codes, messages


def ask(dplc, target, text, folder, name):
    """What `dplc check --target` says of a file; RuntimeError when it says nothing that can be read."""
    path = os.path.join(folder, f"{name}.dpl")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([dplc, "check", path, f"--target={target}", "--json"], capture_output=True, text=True,
                          check=False, timeout=120, env=ENVIRONMENT)
    try:
        said = json.loads(done.stdout)
    except ValueError:
        raise RuntimeError(f"{path}: dplc ended with {done.returncode}: {done.stderr}") from None
    codes, messages = _codes(said["diagnostics"])
    if (done.returncode == 0) != (not codes):
        raise RuntimeError(f"{path}: dplc ended with {done.returncode} and reports {codes}")
    return Answer(codes, messages)


class Case:
    def __init__(self, layout, answer, refusal):
        self.layout, self.answer, self.refusal = layout, answer, refusal

    def kind(self, explained):
        if self.answer.accepted:
            return "agree: legal" if self.refusal is None else "we accept, it refuses"
        if self.refusal is not None:
            return "agree: illegal"
        return "explained" if set(self.answer.codes) & set(explained) else "we refuse, it accepts"

    def line(self):
        ours = ", ".join(f"{c}: {m}" for c, m in zip(self.answer.codes, self.answer.messages)) or "accepted"
        theirs = " ".join(self.refusal.split())[:300] if self.refusal is not None else "accepted"
        return f"  draw {self.layout.index} ({', '.join(self.layout.changes) or 'unchanged'})\n" \
               f"    dplc: {ours}\n    it:   {theirs}"


def judged(target, judge, layouts, dplc):
    """A Case for each layout."""
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(max_workers=device.PROCESSORS) as pool:
        asked = [pool.submit(ask, dplc, target, d.dpl(), folder, str(d.index)) for d in layouts]
        for layout, answer in zip(layouts, asked):
            try:
                refusal = judge(layout)
            except Inexpressible as why:
                refusal = f"no option: {why}"
            device.check()
            yield Case(layout, answer.result(), refusal)


def run(target, judge, count, seed, dplc, explained=None, only=None, adjust=None, layouts=None, more=None):
    """Prints the confusion table and the cases that disagree; 0 when both shares are small enough.

    `explained` maps the code of a rule to why a refusal by it is right although the judge accepts. `only` names
    the changes of draw.CHANGES that have a meaning for the target; `adjust(draw)` brings a draw nearer to what the
    target knows. `layouts` are judged in the place of draws.
    `more` are changes that only this target knows, beside those of draw.CHANGES.
    """
    device.guard(importlib.import_module("torch"))
    explained, begin, kinds, rules = explained or {}, time.monotonic(), collections.defaultdict(list), {}
    total = 0
    layouts = layouts or drawing.draws(count, seed, only, more)
    for layout in layouts if adjust else []:
        adjust(layout)
    for case in judged(target, judge, layouts, dplc):
        kinds[case.kind(explained)].append(case)
        total += 1
        for code in set(case.answer.codes):
            both = rules.setdefault(code, [0, 0])
            both[case.refusal is None] += 1
    few, many = kinds["we accept, it refuses"], kinds["we refuse, it accepts"]
    counts = {kind: len(cases) for kind, cases in kinds.items()}
    print(f"{target}: {total} layouts of seed {seed} in {time.monotonic() - begin:.0f} s")
    apart = counts.get("explained", 0)
    print(f"                 it accepts   it refuses\n"
          f"  we accept     {counts.get('agree: legal', 0):11} {len(few):12}   {len(few) / total:6.2%}\n"
          f"  we refuse     {len(many):11} {counts.get('agree: illegal', 0):12}   {len(many) / total:6.2%}"
          + (f"   and {apart} that a rule explains" if apart else ""))
    print("  rules that refused (by both, by us alone): "
          + ", ".join(f"{code} {both},{alone}" for code, (both, alone) in sorted(rules.items())))
    for code in sorted({c for case in kinds["explained"] for c in case.answer.codes} & set(explained)):
        print(f"  explained {code}: {explained[code]}")
    for kind, cases in (("we accept, it refuses", few), ("we refuse, it accepts", many)):
        if cases:
            print(f"-- {kind}")
        for case in cases[:SHOWN]:
            print(case.line())
    sys.stdout.flush()
    return int(len(few) > WE_ACCEPT_IT_REFUSES * total or len(many) > WE_REFUSE_IT_ACCEPTS * total)


def add_options(parser):
    """The options of every target's agreement command."""
    parser.add_argument("--dplc", default="build/release/dplc")
    parser.add_argument("--count", type=int, default=1000, help="layouts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draw", type=int, metavar="INDEX", help="print this layout of the seed and end")


def command(description, script, requirements, run):
    """The command of a target whose judge runs in the environment of a file of requirements; `run(given)` is called
    there. Its exit status."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--environment", default="build/conformance", help="where the target is kept")
    options.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    add_options(options)
    given = options.parse_args()
    if shown(given):
        return 0
    if given.inside:
        return run(given)
    try:
        python = environment.make(os.path.abspath(given.environment),
                                  os.path.join(os.path.dirname(os.path.abspath(script)), requirements))
    except environment.Unavailable as why:
        print(f"skipped: {why}")
        return 77
    inside = [python, os.path.abspath(script), "--inside", *sys.argv[1:]]
    return subprocess.run(inside, check=False, env=environment.variables()).returncode


def shown(given, more=None):
    """Prints the layout that --draw asks for; whether it did."""
    if given.draw is None:
        return False
    print(drawing.draws(given.draw + 1, given.seed, more, more)[-1].dpl(), end="")
    return True
