"""The command that asks a framework whether it takes what `dplc emit` writes, and refuses what dplc refuses.

    python3 conform.py --dplc build/release/dplc --random 100 plan.dpl …

An argument is a .dpl file to emit, or a folder that was emitted. The framework's environment is made on the first
run and used again afterwards. Exit status: 0 all as it should be, 1 not so, 77 no environment.
"""
import argparse
import dataclasses
import os
import subprocess
import typing

import environment
import folders

COMMON = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77


@dataclasses.dataclass
class Target:
    """What is a target's own. `here` is its folder, with `name`.txt, the requirements, and judge.py."""
    name: str
    framework: str  # as people call it
    here: str
    adjust: typing.Callable  # brings a draw near to what the framework knows
    damage: typing.Callable  # damaged copies of some of these folders below another: damage(folders, out)
    beside: tuple = ()  # what the judge needs besides the target's files; as in folders.Emitter


def options_of(target):
    options = argparse.ArgumentParser(
        description=f"Asks {target.framework} whether it takes what `dplc emit {target.name}` writes.")
    options.add_argument("--environment", default="build/conformance", help=f"where {target.framework} is kept")
    options.add_argument("--work", default="build/conformance/work", help="where folders are emitted to")
    options.add_argument("--dplc", default="build/release/dplc", help="the compiler")
    options.add_argument("--random", type=int, default=0, metavar="N", help="judge N random legal layouts too")
    options.add_argument("--seed", type=int, default=1, help="of the random layouts")
    options.add_argument("--self-test", action="store_true",
                         help="damaged copies and a list of illegal layouts have to be refused")
    options.add_argument("inputs", nargs="*")
    return options


def main(target):
    given = options_of(target).parse_args()
    try:
        python = environment.make(os.path.abspath(given.environment), os.path.join(target.here, f"{target.name}.txt"))
    except environment.Unavailable as why:
        print(f"skipped: {why}")
        return SKIPPED
    out = os.path.abspath(given.work)
    emitter = folders.Emitter(given.dplc, target.name, out, target.beside)
    emitted, failed = emitter.given(given.inputs)
    if given.self_test and given.inputs:
        emitted.append(emitter.hostile(given.inputs[0]))
    if given.random:
        made, errors = emitter.random(folders.random_layouts(given.seed, given.random, target.adjust), given.random)
        emitted += made
        failed += errors
    judge = [python, os.path.join(target.here, "judge.py"), *emitted]
    if given.self_test:
        judge += ["--refused", given.dplc, "--damaged", *target.damage(emitted, os.path.join(out, "damaged"))]
    failed += subprocess.run(judge, check=False, env=environment.variables(PYTHONPATH=COMMON)).returncode != 0
    return 1 if failed else 0
