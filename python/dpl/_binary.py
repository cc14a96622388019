"""Where the binary `dplc` is."""

from __future__ import annotations

import os
import shutil
import sys
from typing import NoReturn


def path() -> str:
    """The binary: `$DPLC`, that of the installed package, or the one on PATH."""
    named = os.environ.get("DPLC")
    if named:
        return named
    packed = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "dplc")
    if os.path.exists(packed):
        return packed
    found = shutil.which("dplc")
    if found is None:
        raise FileNotFoundError("there is no binary dplc: install the package, or set DPLC to its path")
    return found


def main() -> NoReturn:
    """The command `dplc` of the installed package."""
    binary = path()
    os.execv(binary, [binary, *sys.argv[1:]])
