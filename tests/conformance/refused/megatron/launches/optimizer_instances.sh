#!/usr/bin/env bash
# refused by Group AssertionError: Data parallel size should be divisible
# dplc says: 8 data ranks are not a multiple of 3 instances
export CUDA_DEVICE_MAX_CONNECTIONS=1
torchrun --nnodes 1 --nproc-per-node 8 pretrain_gpt.py \
  --num-layers 8 \
  --hidden-size 1024 \
  --num-attention-heads 16 \
  --ffn-hidden-size 2816 \
  --swiglu \
  --seq-length 2048 \
  --max-position-embeddings 2048 \
  --vocab-size 32000 \
  --normalization RMSNorm \
  --position-embedding-type rope \
  --disable-bias-linear \
  --use-distributed-optimizer \
  --num-distributed-optimizer-instances 3 \
  --micro-batch-size 1 \
  --global-batch-size 32 \
  --bf16 \
  --lr 1.0e-4 \
  --train-iters 20 \
  --mock-data \
  --tokenizer-type NullTokenizer
