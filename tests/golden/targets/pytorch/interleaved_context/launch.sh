#!/usr/bin/env bash
# interleaved_context of tests/conformance/pytorch/plans/interleaved_context.dpl, plan HASH.
# Written by dplc 0.2.0 for PyTorch 2.11; an edit is lost with the next emit.
#
# 4 processes: 1 nodes × 4 GPUs. Its own arguments are handed to train.py.
# Not as in the plan: of the model only layers, heads, experts and stages are the plan's; it is small, in fp64, of PyTorch's own operators, and trained by SGD without clipping.
# Not as in the plan: only sends between stages are overlapped with computation.
# Not as in the plan: context ranks gather keys and values instead of sending them in a ring.
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

exec torchrun \
  --nnodes 1 --nproc-per-node 4 --node-rank "$node_rank" \
  --master-addr "$master_addr" --master-port "$master_port" \
  "$here/train.py" "${checkpoints[@]}" "$@"
