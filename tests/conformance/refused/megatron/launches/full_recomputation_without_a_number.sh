#!/usr/bin/env bash
# refused by Configure ValueError: When using recompute_granularity: full recompute_num_layers must be
# dplc says: full recomputation needs --recompute-num-layers
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
  --recompute-granularity full \
  --recompute-method uniform \
  --micro-batch-size 1 \
  --global-batch-size 32 \
  --bf16 \
  --lr 1.0e-4 \
  --train-iters 20 \
  --mock-data \
  --tokenizer-type NullTokenizer
