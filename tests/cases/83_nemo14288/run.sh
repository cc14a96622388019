#!/bin/bash
torchrun --nnodes 6 --nproc_per_node 8 pretrain_gpt.py \
  --num-layers 36 --hidden-size 4096 --num-attention-heads 32 --group-query-attention --num-query-groups 8 \
  --ffn-hidden-size 14336 --swiglu --normalization RMSNorm --disable-bias-linear --position-embedding-type rope \
  --untie-embeddings-and-output-weights --vocab-size 128256 --seq-length 8192 --max-position-embeddings 8192 \
  --tensor-model-parallel-size 4 --sequence-parallel --pipeline-model-parallel-size 6 --num-layers-per-virtual-pipeline-stage 3 \
  --micro-batch-size 1 --global-batch-size 6 --train-iters 100 --lr 1e-4 --bf16 --use-distributed-optimizer
