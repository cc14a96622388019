#!/bin/bash
torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py \
  --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 8208 --max-position-embeddings 8208 \
  --micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size 8 --context-parallel-size 2 \
  --sequence-parallel --vocab-size 50257 --bf16 --train-iters 100 --lr 1e-4
