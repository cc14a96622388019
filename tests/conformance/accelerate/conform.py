#!/usr/bin/env python3
"""Asks Accelerate whether it takes what `dplc emit accelerate` writes, and refuses what dplc refuses.

    python3 conform.py --dplc build/release/dplc --random 100 examples/fsdp_hybrid_7b_two_sites.dpl …

../common/conforming.py says what the arguments are.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import adjust  # noqa: E402
import conforming  # noqa: E402
import damage  # noqa: E402

if __name__ == "__main__":
    sys.exit(conforming.main(conforming.Target("accelerate", "Accelerate", HERE, adjust.adjust, damage.make)))
