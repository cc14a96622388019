"""Continues a script in the Python environment that it needs."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import environment  # noqa: E402

SKIPPED = 77


def enter(folder):
    """Starts the script again in the environment of grammars.txt, which is made below `folder` on the first call."""
    try:
        python = environment.make(os.path.abspath(folder), os.path.join(HERE, "grammars.txt"))
    except environment.Unavailable as why:
        print(f"skipped: {why}")
        sys.exit(SKIPPED)
    if os.path.dirname(os.path.dirname(python)) != sys.prefix:
        os.execv(python, [python, *sys.argv])
