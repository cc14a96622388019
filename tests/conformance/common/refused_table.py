#!/usr/bin/env python3
"""How many rules each target has, how many of them a refused layout shows, and how many of those its program refuses.

    python3 refused_table.py --dplc build/release/dplc docs/targets/README.md

Counts the corpora of the targets and compares with the table of the page, which DPL_UPDATE=1 writes anew. Whether
the programs really refuse is what the conformance tests see that read the same corpora.
"""
import argparse
import importlib.util
import os
import re
import subprocess
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
CONFORMANCE = os.path.dirname(HERE)
sys.path.insert(1, HERE)

BEGIN, END = "| target | rules |", "\n\n"
LANGUAGE = re.compile(r"DPL\d+")


class Shown:
    """Of one target: the rules that a case shows, those among them that its program was seen to refuse."""

    def __init__(self):
        self.cases, self.seen, self.scripts = set(), set(), 0

    def add(self, rule, seen):
        self.cases.add(rule)
        if seen:
            self.seen.add(rule)


def module(target, name):
    """A program's tables, without the framework that it imports."""
    folder = os.path.join(CONFORMANCE, target)
    sys.path.insert(0, folder)
    kept = dict(sys.modules)
    sys.modules["agree"] = types.SimpleNamespace(Judge=None)  # asks torchtitan
    try:
        spec = importlib.util.spec_from_file_location(f"{target}_{name}", os.path.join(folder, f"{name}.py"))
        found = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
        return found
    finally:
        sys.path.remove(folder)
        for other in set(sys.modules) - set(kept):  # another target has modules of the same name
            del sys.modules[other]


def megatron():
    shown, refuse = Shown(), module("megatron", "refuse")
    for case in refuse.corpus():
        if isinstance(case, refuse.Script):
            shown.scripts += 1
        else:
            shown.add(case.rule, case.fate not in (refuse.UNREACHABLE, refuse.INEXPRESSIBLE))
    return shown


def listed(target):
    """REFUSED of DeepSpeed, Accelerate and PyTorch: rule, words of the program or None, …"""
    shown = Shown()
    for rule, words, *_ in module(target, "refused").REFUSED:
        shown.add(rule, words is not None)
    return shown


def torchtitan():
    shown, refused = Shown(), module("torchtitan", "refused")
    for seen, table in ((True, refused.REFUSED), (False, refused.MISSING)):
        for rules in table.values():
            for rule in rules:
                shown.add(rule, seen)
    return shown


def rules_of(dplc, target):
    """(rules without a counterpart, rules that it refuses by)"""
    text = subprocess.run([dplc, "explain", target], capture_output=True, text=True, check=True).stdout
    kinds = re.findall(rf"^{target}\.(\w+) +(missing|refused) ", text, re.MULTILINE)
    return tuple({code for code, kind in kinds if kind == wanted} for wanted in ("missing", "refused"))


def table(dplc):
    """Lines of the table, and the sum of its last column."""
    corpora = {"megatron": megatron(), "deepspeed": listed("deepspeed"), "torchtitan": torchtitan(),
               "accelerate": listed("accelerate"), "pytorch": listed("pytorch")}
    lines = [BEGIN + " of kind “refuses” | with a test layout | seen to refuse | also by rules of the language | "
             "launches |",
             "|---" * 7 + "|"]
    total = 0
    for target, shown in corpora.items():
        missing, refused = rules_of(dplc, target)
        own, seen = shown.cases & (missing | refused), shown.seen & (missing | refused)
        language = {rule for rule in shown.seen if LANGUAGE.fullmatch(rule)}
        lines.append(f"| `{target}` | {len(missing | refused)} | {len(refused)} | {len(own)} | {len(seen)} | "
                     f"{len(language)} | {shown.scripts} |")
        total += len(seen) + len(language) + shown.scripts
    return "\n".join(lines), total


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dplc", default="build/release/dplc")
    options.add_argument("page")
    given = options.parse_args()
    made, total = table(given.dplc)
    made += (f"\n\nIn total, the programs refuse {total} cases, each for a different rule of the target or of the "
             "language.")
    with open(given.page, encoding="utf-8") as file:
        text = file.read()
    begin = text.index(BEGIN)
    end = text.index("\n", text.index(END, begin) + len(END))
    if text[begin:end] == made:
        return 0
    if "DPL_UPDATE" in os.environ:
        with open(given.page, "w", encoding="utf-8") as file:
            file.write(text[:begin] + made + text[end:])
        return 0
    print(f"{given.page} has\n{text[begin:end]}\nand the corpora give\n{made}\nDPL_UPDATE=1 writes it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
