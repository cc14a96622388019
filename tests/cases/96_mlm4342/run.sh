#!/bin/bash
GPUS_PER_NODE=4
NNODES=1
torchrun --nproc_per_node $GPUS_PER_NODE --nnodes $NNODES pretrain_gpt.py \
  --num-layers 12 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 \
  --micro-batch-size 4 --global-batch-size 32 --vocab-size 50257 --bf16 --transformer-impl transformer_engine \
  --tensor-model-parallel-size 2 --pipeline-model-parallel-size 1 --expert-model-parallel-size 2 --sequence-parallel \
  --num-experts 8 --moe-router-topk 2 --moe-token-dispatcher-type alltoall --moe-grouped-gemm --disable-bias-linear \
  --use-distributed-optimizer --num-distributed-optimizer-instances 2 --overlap-grad-reduce --overlap-param-gather \
  --lr 0.00015 --train-iters 50
