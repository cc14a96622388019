#!/usr/bin/env bash
# dense3d of examples/llama3_70b_h100.dpl, plan HASH.
# Written by dplc 0.2.0 for mpirun; an edit is lost with the next emit.
#
# One process of start.sh, which mpirun starts; arguments are what it runs.
set -euo pipefail

export NODE_RANK=$OMPI_COMM_WORLD_RANK
exec "$@"
