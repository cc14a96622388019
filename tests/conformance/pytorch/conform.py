#!/usr/bin/env python3
"""Asks PyTorch whether the modules that `dplc emit pytorch` writes have the plan's groups and schedule, on every rank.

    python3 conform.py --dplc build/release/dplc --random 100 plans/*.dpl

../common/conforming.py says what the arguments are. No process is started; start.py does that.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import adjust  # noqa: E402
import conforming  # noqa: E402
import damage  # noqa: E402

BESIDE = {"report.json": ("report", "--json"), "plan.ir": ("ir",)}

if __name__ == "__main__":
    sys.exit(conforming.main(conforming.Target("pytorch", "PyTorch", HERE, adjust.adjust, damage.make, BESIDE)))
