#!/usr/bin/env bash
# two_axes of tests/conformance/torchtitan/plans/llama3_70b_tensor.dpl, plan HASH.
# Written by dplc 0.2.0 for torchtitan 0.3.0; an edit is lost with the next emit.
#
# 128 processes: 16 nodes × 8 GPUs, mesh data 16 × tensor 8.
# Not as in the plan: rotary positions have base 500000 and llama3 scaling by 8; the plan has base 500000 and no scaling.
# Not as in the plan: the plan has no learning rate, it trains with torchtitan's default of 8e-4.
# Not as in the plan: the vocabulary is not padded.
#
# Run it once on every node, in a checkout of torchtitan v0.3.0 or where its package is installed, with
#   HF_ASSETS_PATH             the folder of the tokenizer
#   MASTER_ADDR, MASTER_PORT   a port of the first node (29500 unless set)
#   NODE_RANK                  0 on the first node; SLURM_NODEID serves too
# Its own arguments are handed to torchtitan behind the plan's: length of the run, data, checkpoints, and
# what else the plan does not say. Without any it runs 20 steps.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
hf_assets=${HF_ASSETS_PATH:?is not set: the folder of the tokenizer}
node_rank=${NODE_RANK:-${SLURM_NODEID:?is not set, nor is NODE_RANK}}
master_addr=${MASTER_ADDR:?is not set: the first node}
master_port=${MASTER_PORT:-29500}

export PYTHONPATH=$here${PYTHONPATH:+:$PYTHONPATH} # of dpl_plan.py

# What the job that starts this says of checkpoints and data; an argument of its own wins.
checkpoints=()
if [ -n "${CHECKPOINT_DIR:-}" ]; then
  checkpoints=(--checkpoint.enable --checkpoint.folder "$CHECKPOINT_DIR")
  if [ -n "${CHECKPOINT_INTERVAL:-}" ]; then
    checkpoints+=(--checkpoint.interval "$CHECKPOINT_INTERVAL")
  fi
  if [ -n "${CHECKPOINT_KEEP:-}" ]; then
    keep=$CHECKPOINT_KEEP
    [ "$keep" != 1 ] || keep=2 # as the last one may be in the process of being saved
    checkpoints+=(--checkpoint.keep_latest_k "$keep")
  fi
  if [ "${CHECKPOINT_MODE:-}" = async ]; then
    checkpoints+=(--checkpoint.async_mode async)
  fi
fi
loader=()
if [ -n "${DATA_WORKERS:-}" ]; then
  loader=(--dataloader.num_workers "$DATA_WORKERS")
  if [ -n "${DATA_PREFETCH:-}" ]; then
    loader+=(--dataloader.prefetch_factor "$DATA_PREFETCH")
  fi
fi
if (($# > 0)); then
  rest=("$@")
else
  rest=(--training.steps 20)
fi

exec torchrun \
  --nnodes 16 --nproc-per-node 8 --node-rank "$node_rank" \
  --master-addr "$master_addr" --master-port "$master_port" \
  -m torchtitan.train --module dpl_plan --config plan \
  --hf_assets_path "$hf_assets" "${checkpoints[@]}" "${loader[@]}" "${rest[@]}"
