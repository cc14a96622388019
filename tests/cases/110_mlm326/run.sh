#!/bin/bash
torchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py \
  --num-layers 40 --hidden-size 5120 --num-attention-heads 40 --seq-length 2048 --max-position-embeddings 2048 \
  --micro-batch-size 1 --global-batch-size 64 --pipeline-model-parallel-size 8 \
  --num-layers-per-virtual-pipeline-stage 2 \
  --vocab-size 50257 --fp16 --train-iters 100 --lr 1e-4
