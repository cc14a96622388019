#!/usr/bin/env bash
# small of tests/conformance/launch/plans/torchrun_static.dpl, plan HASH.
# Written by dplc 0.2.0 for torchrun; an edit is lost with the next emit.
#
# 4 processes: 2 nodes × 2 GPUs.
#
# Run it once on every node, with
#   NODE_RANK                  0 on the first node
#   MASTER_ADDR, MASTER_PORT   of the first node, the same on all
# Its own arguments are handed on behind those of the launch.
set -euo pipefail

export NODE_RANK=${NODE_RANK:?is not set: 0 on the first node}
export MASTER_ADDR=${MASTER_ADDR:?is not set: the first node}
export MASTER_PORT=${MASTER_PORT:-29611}

export CHECKPOINT_DIR=/tmp/checkpoints
export CHECKPOINT_INTERVAL=100
export CHECKPOINT_KEEP=3
export CHECKPOINT_MODE=async
export NCCL_DEBUG=WARN
exec torchrun --nnodes 2 --nproc-per-node 2 --node-rank "$NODE_RANK" \
  --master-addr "$MASTER_ADDR" --master-port "$MASTER_PORT" \
  train.py --steps 10 "$@"
