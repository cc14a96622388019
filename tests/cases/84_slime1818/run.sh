#!/bin/bash
# GLM-4.7-Flash, one node
EP=${EP:-8}
torchrun --nnodes $NNODES --nproc_per_node 8 pretrain_gpt.py \
  --num-layers 47 --hidden-size 2048 --ffn-hidden-size 10240 --num-attention-heads 20 \
  --multi-latent-attention --q-lora-rank 768 --kv-lora-rank 512 --qk-head-dim 192 --qk-pos-emb-head-dim 64 --v-head-dim 256 \
  --qk-layernorm --normalization RMSNorm --norm-epsilon 1e-5 --swiglu --disable-bias-linear --untie-embeddings-and-output-weights \
  --position-embedding-type rope --rotary-base 1000000 --hidden-dropout 0 --attention-dropout 0 --vocab-size 154880 \
  --num-experts 64 --moe-router-topk 4 --moe-ffn-hidden-size 1536 --moe-shared-expert-intermediate-size 1536 --moe-layer-freq "[0]+[1]*46" \
  --moe-grouped-gemm --moe-token-dispatcher-type alltoall --moe-router-score-function sigmoid --moe-router-load-balancing-type seq_aux_loss --moe-aux-loss-coeff 0 \
  --moe-router-enable-expert-bias --moe-router-bias-update-rate 0 --moe-router-topk-scaling-factor 1.8 \
  --tensor-model-parallel-size 2 --sequence-parallel --pipeline-model-parallel-size 2 --decoder-last-pipeline-num-layers 23 \
  --expert-model-parallel-size $EP --expert-tensor-parallel-size 1 \
  --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --train-iters 100 --lr 1e-6 \
  --bf16 --use-distributed-optimizer --recompute-granularity full --recompute-method uniform --recompute-num-layers 1
