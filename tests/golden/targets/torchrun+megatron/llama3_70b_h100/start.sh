#!/usr/bin/env bash
# dense3d of examples/llama3_70b_h100.dpl, plan HASH.
# Written by dplc 0.2.0 for torchrun; an edit is lost with the next emit.
#
# 512 processes: 64 nodes × 8 GPUs.
#
# Run it once on every node, with
#   NODE_RANK                  0 on the first node
#   MASTER_ADDR, MASTER_PORT   of the first node, the same on all
#   MEGATRON_PATH              a checkout of Megatron-LM
# Its own arguments are handed on behind those of the launch.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
export NODE_RANK=${NODE_RANK:?is not set: 0 on the first node}
export MASTER_ADDR=${MASTER_ADDR:?is not set: the first node}
export MASTER_PORT=${MASTER_PORT:-29500}

exec "$here/../megatron/launch.sh" "$@"
