#!/usr/bin/env bash
# split_layers of tests/conformance/deepspeed/plans/automatic_tensors.dpl, plan HASH.
# Written by dplc 0.2.0 for DeepSpeed 0.19; an edit is lost with the next emit.
#
# 32 processes: 4 nodes × 8 GPUs, mesh data 8 × tensor 4.
# Not as in the plan: parameters are gathered at the end of the step, not overlapped with the forward pass.
# Not as in the plan: AutoTP keeps embedding and head whole on every tensor rank unless the model asks otherwise.
#
# Run it once on every node, with the training script and its arguments:
#   launch.sh train.py --more ...
#   MASTER_ADDR, MASTER_PORT   a port of the first node (29500 unless set)
#   NODE_RANK                  0 on the first node; SLURM_NODEID serves too
# The script finds dpl_layout.py on its path; plan.json says what is left to it (`script`).
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
: "${1:?is not given: the training script}"
node_rank=${NODE_RANK:-${SLURM_NODEID:?is not set, nor is NODE_RANK}}
master_addr=${MASTER_ADDR:?is not set: the first node}
master_port=${MASTER_PORT:-29500}

export PYTHONPATH="$here${PYTHONPATH:+:$PYTHONPATH}"

exec deepspeed --hostfile "$here/hostfile" --no_ssh --node_rank "$node_rank" \
  --master_addr "$master_addr" --master_port "$master_port" \
  "$@" --deepspeed --deepspeed_config "$here/ds_config.json"
