#!/usr/bin/env bash
# sharded of tests/conformance/accelerate/plans/deepspeed_sharded.dpl, plan HASH.
# Written by dplc 0.2.0 for Accelerate 1.15; an edit is lost with the next emit.
#
# 16 processes: 2 nodes × 8 GPUs, mesh data 4 × context 4, run by the DeepSpeed plug-in.
# Not as in the plan: parameters are gathered at the end of the step, not overlapped with the forward pass.
# Not as in the plan: attention exchanges heads by all-to-all (Ulysses), not keys in a ring.
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
  --deepspeed_config_file "$here/ds_config.json" \
  --machine_rank "$node_rank" --main_process_ip "$master_addr" --main_process_port "$master_port" \
  "$@"
