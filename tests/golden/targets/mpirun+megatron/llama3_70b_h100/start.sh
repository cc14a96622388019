#!/usr/bin/env bash
# dense3d of examples/llama3_70b_h100.dpl, plan HASH.
# Written by dplc 0.2.0 for mpirun; an edit is lost with the next emit.
#
# 512 processes: 64 nodes × 8 GPUs.
#
# Run it once, where mpirun of Open MPI reaches all nodes and these files are at one place on all of them.
#   MEGATRON_PATH a checkout of Megatron-LM
#   HOSTFILE      a line `HOST slots=8` for each node, in the order of their ranks
#   MASTER_ADDR   of the first node, where its line has another name; MASTER_PORT is free there
# Its own arguments are handed on behind those of the launch.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
hostfile=${HOSTFILE:?is not set: a file with a line HOST slots=8 for each node}
hosts=(--hostfile "$hostfile")
first=$(awk '!/^[[:space:]]*(#|$)/ { print $1; exit }' "$hostfile")
export MASTER_ADDR=${MASTER_ADDR:-$first}
export MASTER_PORT=${MASTER_PORT:-29500}

exec mpirun -np 64 "${hosts[@]}" --map-by node --bind-to none \
  -x MASTER_ADDR -x MASTER_PORT ${MEGATRON_PATH+-x MEGATRON_PATH} "$here/task.sh" "$here/../megatron/launch.sh" "$@"
