#!/usr/bin/env bash
# small of tests/conformance/launch/plans/mpirun_hosts.dpl, plan HASH.
# Written by dplc 0.2.0 for mpirun; an edit is lost with the next emit.
#
# 4 processes: 2 nodes × 2 GPUs.
#
# Run it once, where mpirun of Open MPI reaches all nodes and these files are at one place on all of them.
#   HOSTFILE      a line `HOST slots=2` for each node, in the order of their ranks (./hostfile unless set)
#   MASTER_ADDR   of the first node, where its line has another name; MASTER_PORT is free there
# Its own arguments are handed on behind those of the launch.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
hostfile=${HOSTFILE:-$here/hostfile}
hosts=(--hostfile "$hostfile")
first=$(awk '!/^[[:space:]]*(#|$)/ { print $1; exit }' "$hostfile")
export MASTER_ADDR=${MASTER_ADDR:-$first}
export MASTER_PORT=${MASTER_PORT:-29613}

for ((attempt = 0; ; attempt++)); do
  status=0
  mpirun -np 4 "${hosts[@]}" --map-by slot --bind-to none \
  -x MASTER_ADDR -x MASTER_PORT "$here/task.sh" python3 train.py --steps 10 "$@" || status=$?
  if ((status == 0 || attempt == 1)); then
    exit "$status"
  fi
done
