#!/usr/bin/env python3
"""Asks dplc and Megatron-LM about the same drawn layouts and prints where they agree.

    python3 agree.py --release 0.19 --count 1000 --dplc build/release/dplc

Makes the environment of the release on the first run. Exit status: 0 when the two agree as far as they have to,
1 when not, 77 when the environment cannot be had on this machine.
"""
import argparse
import logging
import math
import os
import sys
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import agreement  # noqa: E402
import attention_changes  # noqa: E402
import other_layouts  # noqa: E402
import releases  # noqa: E402

# Refusals by dplc that are right although none of the stages that run without a GPU refuses.
EXPLAINED = {
    "M56": "Transformer Engine shares memory through handles of one machine, which only a GPU makes",
    "M40": "the kernels for experts refuse the shape on a GPU, in the first step",
}
ATTENTION = 4  # one layout in so many more
WITHOUT_PARSER = "its argument parser refuses it, which the package of this release lacks"
EXPLAINED_WITHOUT_PARSER = {code: WITHOUT_PARSER for code in ("M22", "M29", "M30", "M39", "M47", "M52")}


def judge(given):
    """Runs in the environment of the release."""
    import client
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    megatron = client.Client()
    explained = EXPLAINED | ({} if megatron.arguments else EXPLAINED_WITHOUT_PARSER)
    target, more = f"megatron@{given.release}", attention_changes.CHANGES
    wrong = 0
    if given.other:
        return agreement.run(target, megatron.refusal, given.count, given.seed, given.dplc, explained,
                             layouts=other_layouts.layouts(given.count, given.seed))
    if not given.attention:
        wrong = agreement.run(target, megatron.refusal, given.count, given.seed, given.dplc, explained)
    share = 1 if given.attention else 1 / ATTENTION
    print("-- changes of attention alone")
    return wrong | agreement.run(target, megatron.refusal, math.ceil(given.count * share), given.seed, given.dplc,
                                 explained, only=more, more=more)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    agreement.add_options(options)
    options.add_argument("--release", choices=sorted(releases.REQUIREMENTS), default=releases.NEWEST)
    options.add_argument("--environment", default="build/conformance", help="where Megatron-LM is kept")
    options.add_argument("--attention", action="store_true", help="only layouts with changes of attention, which "
                         "are else drawn for a quarter of the count")
    options.add_argument("--other", action="store_true", help="layouts of the second generator, for releases whose "
                         "package has a parser")
    options.add_argument("--checkout", metavar="FOLDER", help="of Megatron-LM at this release; before 0.17 only a "
                         "checkout has the argument parser")
    options.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.other and given.draw is not None:
        print(other_layouts.layout(given.draw, given.seed).dpl(), end="")
        return 0
    if agreement.shown(given, attention_changes.CHANGES if given.attention else None):
        return 0
    if given.inside:
        return judge(given)
    return releases.judged(given)


if __name__ == "__main__":
    sys.exit(main())
