#!/usr/bin/env bash
# orthogonalized of examples/fine_tuning.dpl, plan HASH.
# Written by dplc 0.2.0 for Megatron-LM 0.19; an edit is lost with the next emit.
#
# 8 processes: 1 nodes × 8 GPUs, mesh data 4 × tensor 2.
#
# Run it once on every node, with
#   MEGATRON_PATH              a checkout of Megatron-LM core_v0.19
#   MASTER_PORT                a free port (29500 unless set)
# Its own arguments are handed to pretrain_gpt.py behind those of arguments.txt: data, tokenizer, length
# of the run, checkpoints, and what else the plan does not say. Without any, and without DATA_PATH, it runs 20
# steps on mock data and saves nothing.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
megatron=${MEGATRON_PATH:?is not set: a checkout of Megatron-LM}
node_rank=0
master_addr=localhost
master_port=${MASTER_PORT:-29500}

export CUDA_DEVICE_MAX_CONNECTIONS=1 # tensor and context parallelism need it before Blackwell
export PYTORCH_CUDA_ALLOC_CONF=${PYTORCH_CUDA_ALLOC_CONF:-expandable_segments:True}

mapfile -t arguments < <(grep -v '^#' "$here/arguments.txt")
arguments+=(--nccl-communicator-config-path "$here/communicators.yaml")

# What the job that starts this says of the run; an argument of its own wins.
if (($# > 0)) || [ -n "${DATA_PATH:-}" ]; then
  rest=("$@")
  if [ -n "${DATA_PATH:-}" ]; then
    arguments+=(--data-path "$DATA_PATH")
  fi
  if [ -n "${DATA_WORKERS:-}" ]; then
    arguments+=(--num-workers "$DATA_WORKERS")
  fi
  if [ -n "${TRAIN_STEPS:-}" ] && [[ " $* " != *" --train-samples "* ]]; then
    arguments+=(--train-iters "$TRAIN_STEPS")
  fi
  if [ -n "${CHECKPOINT_DIR:-}" ]; then
    arguments+=(--save "$CHECKPOINT_DIR" --load "$CHECKPOINT_DIR")
    if [ -n "${CHECKPOINT_INTERVAL:-}" ]; then
      arguments+=(--save-interval "$CHECKPOINT_INTERVAL")
    fi
    if [ "${CHECKPOINT_MODE:-}" = async ]; then
      arguments+=(--async-save)
    fi
  fi
else
  rest=(--mock-data --tokenizer-type NullTokenizer --train-iters 20 --eval-iters 0
    --log-interval 1 --log-throughput)
fi

exec torchrun \
  --nnodes 1 --nproc-per-node 8 --node-rank "$node_rank" \
  --master-addr "$master_addr" --master-port "$master_port" \
  "$megatron/pretrain_gpt.py" "${arguments[@]}" "${rest[@]}"
