#!/usr/bin/env bash
# refused by Validate AssertionError: The length of pipeline_model_parallel_layout must be divisible
# dplc says: 3 stages are not a multiple of 2 pipeline ranks
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
  --pipeline-model-parallel-size 2 \
  --pipeline-model-parallel-layout "Et*4|t*3|tL" \
  --micro-batch-size 1 \
  --global-batch-size 32 \
  --bf16 \
  --lr 1.0e-4 \
  --train-iters 20 \
  --mock-data \
  --tokenizer-type NullTokenizer
