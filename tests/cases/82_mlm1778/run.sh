#!/bin/bash
GPUS=8
torchrun --nproc_per_node $GPUS pretrain_gpt.py \
  --num-layers 20 --hidden-size 2048 --num-attention-heads 16 --ffn-hidden-size 5632 --swiglu \
  --normalization RMSNorm --disable-bias-linear --position-embedding-type rope --untie-embeddings-and-output-weights \
  --vocab-size 32000 --seq-length 4096 --max-position-embeddings 4096 \
  --tensor-model-parallel-size 1 --pipeline-model-parallel-size 1 \
  --decoder-last-pipeline-num-layers 1 \
  --micro-batch-size 2 --global-batch-size 256 --train-iters 5000 --lr 3e-4 --bf16 --use-distributed-optimizer
