#!/usr/bin/env bash
# adapters_on_4_bits of examples/fine_tuning.dpl, plan HASH.
# Written by dplc 0.2.0 for DeepSpeed 0.19; an edit is lost with the next emit.
#
# 1 processes: 1 nodes × 1 GPUs, mesh of one device.
#
# Run it once on every node, with the training script and its arguments:
#   launch.sh train.py --more ...
#   MASTER_PORT                a free port (29500 unless set)
# The script finds dpl_layout.py on its path; plan.json says what is left to it (`script`).
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
: "${1:?is not given: the training script}"
node_rank=0
master_addr=localhost
master_port=${MASTER_PORT:-29500}

export PYTHONPATH="$here${PYTHONPATH:+:$PYTHONPATH}"

exec deepspeed --hostfile "$here/hostfile" --no_ssh --node_rank "$node_rank" \
  --master_addr "$master_addr" --master_port "$master_port" \
  "$@" --deepspeed --deepspeed_config "$here/ds_config.json"
