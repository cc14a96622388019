#!/usr/bin/env python3
"""Has every supported release of Megatron-LM the options that `dplc emit` writes for it?

    python3 parsers.py
    python3 parsers.py --dplc build/release/dplc --release 0.18 plan.dpl …
    python3 parsers.py --record --release 0.16 --checkout ~/Megatron-LM

Without a release: the options in the sources of backends/megatron are those of parser_options.txt, which says the releases
whose parsers have them, and Options.cpp, by which `release-option` refuses, says the same.
With one its own parser is asked: the file is right (or `--record` makes it so), and it takes whole, values too, what is
emitted of every plan; a plan that is refused by that rule has an option that this parser has not. Before 0.17 only a checkout
has the parser. Exit status: 0 all as it should be, 1 not so, 77 when no environment can be had.
"""
import argparse
import glob
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
BACKEND = os.path.join(HERE, "..", "..", "..", "backends", "megatron")
TABLE = os.path.join(HERE, "parser_options.txt")
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import judging  # noqa: E402
import other_layouts  # noqa: E402
import releases  # noqa: E402
from launcher import Launch  # noqa: E402

RELEASES = sorted(releases.REQUIREMENTS)
HEAD = "# Options that dplc writes, and the releases whose parsers have them; parsers.py --record writes this file.\n"
LACKED = re.compile(r"option (--[a-z0-9-]+) exists ")


def sources():
    """(the options that the sources write, those that Options.cpp has rows for)"""
    names, rows = set(), {}
    for path in glob.glob(os.path.join(BACKEND, "*.cpp")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        names.update(re.findall(r'"(--[a-z0-9-]+)', text))
        rows.update(re.findall(r'\{"(--[a-z0-9-]+)", "([0-9.-]+)"\}', text))
    return names, rows


def recorded():
    with open(TABLE, encoding="utf-8") as file:
        return {name: found for name, *found in (line.split() for line in file if not line.startswith("#"))}


def compared():
    """How many options the sources, Options.cpp and the table do not agree about."""
    names, rows = sources()
    table, wrong = recorded(), 0
    for name in sorted(names ^ set(table)):
        print(f"FAILED   {name}: {'not in the table' if name in names else 'nothing writes it'}")
        wrong += 1
    for name in sorted(names & set(table)):
        first, _, last = rows.get(name, RELEASES[0]).partition("-")
        said = [release for release in RELEASES if first <= release <= (last or RELEASES[-1])]
        if said != table[name]:
            print(f"FAILED   {name}: Options.cpp says {said}, the parsers {table[name]}")
            wrong += 1
    print(f"-- {len(names)} options, {len(rows)} not in every release, {wrong} not as the parsers have them")
    return wrong


def record(release, has):
    table = recorded() if os.path.exists(TABLE) else {}
    names, _ = sources()
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for name in sorted(names):
            found = set(table.get(name, ())) - {release} | ({release} if name in has else set())
            file.write(" ".join([name, *sorted(found)]) + "\n")


def tried(given, megatron, has):
    """How many plans the parser does not judge as dplc does."""
    wrong, parsed, lacking = 0, 0, set()
    with tempfile.TemporaryDirectory() as scratch:
        plans = list(given.inputs)
        for layout in other_layouts.layouts(given.random, given.seed):
            plans.append(os.path.join(scratch, f"{layout.index}.dpl"))
            with open(plans[-1], "w", encoding="utf-8") as file:
                file.write(layout.dpl())
        for plan in plans:
            folder = os.path.join(scratch, "launch")
            done = subprocess.run([given.dplc, "emit", f"megatron@{given.release}", plan, "-o", folder],
                                  capture_output=True, text=True, check=False)
            if done.returncode:
                options = set(LACKED.findall(done.stderr))
                lacking |= options
                if "[DPL" not in done.stderr or options & has:
                    print(f"FAILED   {plan}: {done.stderr}")
                    wrong += 1
                continue
            sys.argv = ["pretrain_gpt.py", *Launch(folder).arguments]
            try:
                with judging.quiet() as said:
                    megatron.arguments.parse_args()
                parsed += 1
            except SystemExit:
                print(f"FAILED   {plan}: {said.getvalue().rsplit('error:', 1)[-1].strip()}")
                wrong += 1
    print(f"-- megatron@{given.release}: {parsed} of {len(plans)} plans parsed, {len(plans) - parsed - wrong} refused by dplc, "
          f"of which {', '.join(sorted(lacking)) or 'no'} options are not there; {wrong} not as they should be")
    return wrong


def parser_alone():
    """megatron.training without what its first import brings: the training loop asks for packages that are not there."""
    spec = importlib.util.find_spec("megatron.training")
    module = importlib.util.module_from_spec(spec)
    module.get_args = module.get_timers = module.get_adlr_autoresume = mock.MagicMock()
    sys.modules[spec.name] = module
    for name in ("regex", "yaml"):  # of the tokenizers
        sys.modules.setdefault(name, mock.MagicMock())


def inside(given):
    parser_alone()
    import client
    megatron, parser = client.Client(), argparse.ArgumentParser()
    megatron.arguments.add_megatron_arguments(parser)
    has = set(parser._option_string_actions)  # pylint: disable=protected-access
    if given.record:
        record(given.release, has)
    stale = [name for name, found in recorded().items() if (given.release in found) != (name in has)]
    for name in stale:
        print(f"FAILED   {name}: not as the table says")
    return len(stale) + tried(given, megatron, has)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dplc", default="build/release/dplc")
    options.add_argument("--release", choices=RELEASES)
    options.add_argument("--environment", default="build/conformance", help="where Megatron-LM is kept")
    options.add_argument("--checkout", metavar="FOLDER", help="of Megatron-LM at this release")
    options.add_argument("--record", action="store_true")
    options.add_argument("--random", type=int, default=0, metavar="N", help="layouts of the second generator too")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options.add_argument("inputs", nargs="*")
    given = options.parse_args()
    if given.inside:
        return int(inside(given) > 0)
    if not given.release:
        return int(compared() > 0)
    return releases.judged(given)


if __name__ == "__main__":
    sys.exit(main())
