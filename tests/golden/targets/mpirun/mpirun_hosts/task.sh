#!/usr/bin/env bash
# small of tests/conformance/launch/plans/mpirun_hosts.dpl, plan HASH.
# Written by dplc 0.2.0 for mpirun; an edit is lost with the next emit.
#
# One process of start.sh, which mpirun starts; arguments are what it runs.
set -euo pipefail

export RANK=$OMPI_COMM_WORLD_RANK WORLD_SIZE=$OMPI_COMM_WORLD_SIZE
export LOCAL_RANK=$((RANK % 2)) LOCAL_WORLD_SIZE=2 NODE_RANK=$((RANK / 2))
export CHECKPOINT_DIR=/tmp/checkpoints
export CHECKPOINT_INTERVAL=100
export CHECKPOINT_KEEP=3
export CHECKPOINT_MODE=async
export NCCL_DEBUG=WARN
exec "$@"
