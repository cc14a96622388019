#!/bin/bash
# Llama 3 8B on four nodes, as in many launch scripts of Megatron-LM.
torchrun --nnodes 4 --nproc-per-node 8 pretrain_gpt.py \
  --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 \
  --group-query-attention --num-query-groups 8 --seq-length 8192 --max-position-embeddings 8192 \
  --swiglu --normalization RMSNorm --position-embedding-type rope --rotary-base 500000 \
  --disable-bias-linear --untie-embeddings-and-output-weights --vocab-size 128256 \
  --make-vocab-size-divisible-by 128 --tokenizer-type NullTokenizer \
  --tensor-model-parallel-size 4 --pipeline-model-parallel-size 1 --sequence-parallel \
  --micro-batch-size 1 --global-batch-size 128 --bf16 --use-distributed-optimizer \
  --lr 3e-4 --train-iters 1000 --use-flash-attn --transformer-impl transformer_engine
