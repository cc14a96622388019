#!/usr/bin/env bash
# small of tests/conformance/launch/plans/torchrun_c10d.dpl, plan HASH.
# Written by dplc 0.2.0 for torchrun; an edit is lost with the next emit.
#
# 4 processes: 2 nodes × 2 GPUs.
#
# Run it once on every node, with
#   MASTER_ADDR, MASTER_PORT   of one of the nodes, the same on all
# Its own arguments are handed on behind those of the launch.
set -euo pipefail

export NODE_RANK=0 MASTER_ADDR=${MASTER_ADDR:?is not set: one of the nodes}
export MASTER_PORT=${MASTER_PORT:-29612}
export PET_RDZV_BACKEND=c10d PET_RDZV_ENDPOINT="$MASTER_ADDR:$MASTER_PORT" PET_RDZV_ID=HASH
export PET_MAX_RESTARTS=1
export PET_LOG_DIR='logs of it' PET_REDIRECTS=3 PET_TEE=3

export CHECKPOINT_DIR=/tmp/checkpoints
export CHECKPOINT_INTERVAL=100
export CHECKPOINT_KEEP=3
export CHECKPOINT_MODE=async
export NCCL_DEBUG=WARN
exec torchrun --nnodes 2 --nproc-per-node 2 --node-rank "$NODE_RANK" \
  --master-addr "$MASTER_ADDR" --master-port "$MASTER_PORT" \
  train.py --steps 10 "$@"
