//===- PerformanceOptions.cpp - Options for how Megatron-LM executes a plan -------------------===//
//
// These options come from the parser of Megatron-LM 0.19.2 (megatron/training/arguments.py and its
// configuration classes): kernels, streams, communication libraries, graphs, numerics, injected
// faults. None of them affects the number of parameters, the layout, or memory other than buffers.
#include "frontend/import/megatron/LaunchOptions.h"
#include "support/WordTable.h"

using namespace dpl;
using namespace dpl::imports::megatron;

bool dpl::imports::megatron::isPerformanceOption(llvm::StringRef option) {
  static const WordTable options(R"(
--apply-query-key-layer-scaling --apply-wd-to-qk-layernorm --batch-invariant-mode
--create-all-gather-group --cuda-graph-warmup-steps --dataloader-inter-document-masking
--ddp-param-name-patterns-for-fp32-local-accumulation --ddp-reduce-scatter-with-fp32-accumulation
--decrease-batch-size-if-needed --defer-embedding-wgrad-compute --delay-wgrad-compute
--deterministic-mode --disable-align-grad-reduce --disable-clone-scatter-output-in-embedding
--disable-fp8-wgrad --disable-jit-fuser --disable-symmetric-registration
--disable-tp-comm-bulk-dgrad --disable-tp-comm-bulk-wgrad --disable-tp-comm-overlap-ag
--disable-tp-comm-overlap-rs --disable-tp-comm-split-ag --disable-tp-comm-split-rs
--embedding-init-method-std --enable-experimental --ep-overlap-early-attn-memory-release
--error-injection-rate --error-injection-type --fault-injector-delay-start-iteration
--fault-injector-fault-delay --fault-injector-fault-probabilities --fault-injector-fault-types
--fault-injector-mtti-seconds --fault-injector-num-ranks --fault-injector-offset-seconds
--fault-injector-ranks --fault-injector-seed --first-last-layers-bf16 --flash-attention-version
--fp16-lm-cross-entropy --fp4-recipe --fp8-output-proj --fsdp-db-use-persist-buf-on-alloc-fail
--fsdp-double-buffer --fsdp-manual-registration --fused-residual-rmsnorm --gpu-sniff-test-interval
--head-lr-mult --kitchen-attention-backend --lazy-mpu-init
--megatron-fsdp-enable-fine-grained-param-gather --megatron-fsdp-max-pool-double-buffer
--mla-down-proj-fusion --moe-apply-probs-on-input --moe-deepep-num-sms --moe-enable-deepep
--moe-enable-routing-replay --moe-flex-dispatcher-backend --moe-flex-dispatcher-num-sms
--moe-hybridep-num-blocks-permute --moe-hybridep-num-blocks-unpermute --moe-hybridep-num-sms
--moe-hybridep-num-sms-preprocessing --moe-hybridep-pad-uneven-dispatch-inputs
--moe-ncclep-static-shape --moe-ncclep-zero-copy --moe-permute-fusion-into-hybridep
--moe-router-padding-for-fp8 --moe-router-padding-for-quantization --moe-shared-expert-overlap
--moe-single-grouped-bias --moe-single-grouped-weight --no-align-grad-reduce
--no-align-param-gather --no-clone-scatter-output-in-embedding --no-fp8-wgrad
--no-gradient-reduce-div-fusion --no-rope-freq --no-tp-comm-bulk-dgrad --no-tp-comm-bulk-wgrad
--no-tp-comm-overlap-ag --no-tp-comm-overlap-rs --no-tp-comm-split-ag --no-tp-comm-split-rs
--no-weight-decay-cond-type --num-layers-at-end-in-bf16 --num-layers-at-start-in-bf16 --onnx-safe
--optimizer-cuda-graph --overlap-dispatch-backward-with-experts-wgrad
--overlap-p2p-communication-warmup-flush --overlap-param-gather-with-optimizer-step
--pipeline-model-parallel-comm-backend --qk-clip --qk-clip-alpha --qk-clip-threshold
--reset-attention-mask --rotary-interleaved --sharp-enabled-group
--suggested-communication-unit-size --symmetric-ar-type --tp-comm-bootstrap-backend
--tp-comm-overlap-cfg --tp-comm-overlap-rs-dgrad --use-fused-weighted-squared-relu
--use-grouped-gemm-for-dense-mlp --use-grouped-gemm-for-shared-expert --use-kitchen-attention
--use-nccl-ub --use-one-sent-docs --use-ring-exchange-p2p --use-same-sampling-seed-across-dp-ranks
--use-sharp --use-te-activation-func --use-transformer-engine-op-fuser --verify-integrity --warmup
--wgrad-deferral-limit)");
  return options.has(option);
}
