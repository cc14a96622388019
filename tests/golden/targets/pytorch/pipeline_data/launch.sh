#!/usr/bin/env bash
# pipeline_data of tests/conformance/pytorch/plans/pipeline_data.dpl, plan HASH.
# Written by dplc 0.2.0 for PyTorch 2.11; an edit is lost with the next emit.
#
# 4 processes: 1 nodes × 4 GPUs. Its own arguments are handed to train.py.
# Not as in the plan: of the model only layers, heads, experts and stages are the plan's; it is small, in fp64, of PyTorch's own operators, and trained by SGD without clipping.
# Not as in the plan: communication is not overlapped with computation.
# Left to a launcher that is emitted with this, as `dplc emit pytorch torchrun ...` does: checkpoint_dir of the launch.
# Run it once on every node, with
#   MASTER_PORT                a free port (29500 unless set)
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
node_rank=0
master_addr=localhost
master_port=${MASTER_PORT:-29500}

# What the job that starts this says of checkpoints; an argument of its own wins.
checkpoints=()
if [ -n "${CHECKPOINT_DIR:-}" ]; then
  checkpoints=(--checkpoint-dir="$CHECKPOINT_DIR"
    ${CHECKPOINT_INTERVAL:+--checkpoint-interval="$CHECKPOINT_INTERVAL"}
    ${CHECKPOINT_KEEP:+--checkpoint-keep="$CHECKPOINT_KEEP"})
  if [ "${CHECKPOINT_MODE:-}" = async ]; then
    checkpoints+=(--checkpoint-mode=async)
  fi
fi

# Told by SIGUSR1 or SIGTERM, 60 s before it has to be over, to save and end: the processes that torchrun started get
# SIGTERM, torchrun does not, which would kill them after 30 s. It then ends with status 143.
until_told() {
  local again=yes status=0 told=no torchrun
  # shellcheck disable=SC2317  # the trap runs it
  tell() {
    trap "" USR1 TERM # once: a second one would end a process that is on its way out
    [ "$told" = no ] || return 0
    local processes=()
    again=yes told=yes
    while kill -0 "$torchrun" 2>/dev/null; do
      read -ra processes < <(cat /proc/"$torchrun"/task/*/children) || true
      ((${#processes[@]} == 0)) || break
      sleep 1 # it has not started them yet
    done
    kill -TERM "${processes[@]}" || true
  }
  (trap "" USR1 && exec "$@") &
  torchrun=$!
  trap tell USR1 TERM
  while [ "$again" = yes ]; do # a signal ends `wait`
    again=no status=0
    wait "$torchrun" || status=$?
  done
  if [ "$told" = yes ] && ((status == 0)); then
    status=143
  fi
  exit "$status"
}
until_told torchrun \
  --nnodes 1 --nproc-per-node 4 --node-rank "$node_rank" \
  --master-addr "$master_addr" --master-port "$master_port" \
  "$here/train.py" "${checkpoints[@]}" "$@"
