# dense3d of examples/llama3_70b_h100.dpl, plan HASH.
# Written by dplc 0.2.0 for NCCL's tuner; an edit is lost with the next emit.
#
# For the shell that starts each process: `. FOLDER/environment.sh`.
# The plugin is plugins/tuner/example of NCCL's sources, built with `make` and on the library path.

nccl_tuner_folder=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
export NCCL_TUNER_CONFIG_FILE=$nccl_tuner_folder/nccl_tuner.conf
export NCCL_TUNER_PLUGIN=${NCCL_TUNER_PLUGIN:-libnccl-tuner-example.so}

# Without the plugin NCCL 2.24 and later can be held to the algorithms that are chosen
# anywhere; it holds for every communicator of the process.
# export NCCL_ALGO="allgather:ring;reducescatter:ring"
