#!/bin/bash
# Qwen3 30B-A3B; the first and last pipeline stages have fewer layers because of the embeddings
torchrun --nnodes 2 --nproc_per_node 8 pretrain_gpt.py \
  --num-layers 48 --hidden-size 2048 --ffn-hidden-size 6144 --num-attention-heads 32 --group-query-attention --num-query-groups 4 --kv-channels 128 --qk-layernorm --normalization RMSNorm --norm-epsilon 1e-6 --swiglu --disable-bias-linear --untie-embeddings-and-output-weights --position-embedding-type rope --rotary-base 1000000 --hidden-dropout 0 --attention-dropout 0 --vocab-size 151936 \
  --num-experts 128 --moe-router-topk 8 --moe-ffn-hidden-size 768 --moe-grouped-gemm --moe-token-dispatcher-type alltoall --moe-router-load-balancing-type aux_loss --moe-aux-loss-coeff 1e-3 \
  --tensor-model-parallel-size 1 --pipeline-model-parallel-size 2 --expert-model-parallel-size 8 \
  --decoder-first-pipeline-num-layers 11 \
  --decoder-last-pipeline-num-layers 13 \
  --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 256 \
  --train-iters 1000 --lr 1e-4 --bf16 --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather
