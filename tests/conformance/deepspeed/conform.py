#!/usr/bin/env python3
"""Asks DeepSpeed whether it takes what `dplc emit deepspeed` writes, and refuses what dplc refuses.

    python3 conform.py --dplc build/release/dplc --random 100 examples/user_schema.dpl …

../common/conforming.py says what the arguments are.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import conforming  # noqa: E402
import damage  # noqa: E402
import drawn  # noqa: E402

if __name__ == "__main__":
    sys.exit(conforming.main(conforming.Target("deepspeed", "DeepSpeed", HERE, drawn.adjust, damage.make)))
