#!/bin/bash
GPUS_PER_NODE=8
NNODES=1
torchrun --nproc_per_node $GPUS_PER_NODE --nnodes $NNODES pretrain_gpt.py \
  --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 \
  --micro-batch-size 1 --global-batch-size 64 --vocab-size 50257 --bf16 \
  --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 6 \
  --use-distributed-optimizer --lr 0.00015 --train-iters 50
