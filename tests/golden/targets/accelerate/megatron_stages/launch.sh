#!/usr/bin/env bash
# staged of tests/conformance/accelerate/plans/megatron_stages.dpl, plan HASH.
# Written by dplc 0.2.0 for Accelerate 1.15; an edit is lost with the next emit.
#
# 32 processes: 4 nodes × 8 GPUs, mesh pipeline 4 × data 4 × tensor 2, run by the Megatron-LM plug-in.
# Not as in the plan: gradients are reduced after the last backward pass, not overlapped with it.
# Not as in the plan: parameters are gathered at the end of the step, not overlapped with the forward pass.
# Not as in the plan: sends between stages do not overlap.
#
# Run it once on every node, with the training script and its arguments:
#   launch.sh train.py --more ...
#   MASTER_ADDR, MASTER_PORT   a port of the first node (29500 unless set)
#   NODE_RANK                  0 on the first node; SLURM_NODEID serves too
# plan.json says what is left to the script (`script`).
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
: "${1:?is not given: the training script}"
node_rank=${NODE_RANK:-${SLURM_NODEID:?is not set, nor is NODE_RANK}}
master_addr=${MASTER_ADDR:?is not set: the first node}
master_port=${MASTER_PORT:-29500}

exec accelerate launch --config_file "$here/accelerate.yaml" \
  --machine_rank "$node_rank" --main_process_ip "$master_addr" --main_process_port "$master_port" \
  "$@"
