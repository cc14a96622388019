#!/usr/bin/env bash
# data_parallel of examples/resnet50_a100.dpl, plan HASH.
# Written by dplc 0.2.0 for Accelerate 1.15; an edit is lost with the next emit.
#
# 8 processes: 1 nodes × 8 GPUs, mesh data 8, run by data parallelism.
#
# Run it once on every node, with the training script and its arguments:
#   launch.sh train.py --more ...
#   MASTER_PORT                a free port (29500 unless set)
# plan.json says what is left to the script (`script`).
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
: "${1:?is not given: the training script}"
node_rank=0
master_addr=localhost
master_port=${MASTER_PORT:-29500}
export ACCELERATE_GRADIENT_ACCUMULATION_STEPS=1

exec accelerate launch --config_file "$here/accelerate.yaml" \
  --machine_rank "$node_rank" --main_process_ip "$master_addr" --main_process_port "$master_port" \
  "$@"
