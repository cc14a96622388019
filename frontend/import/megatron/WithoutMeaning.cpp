//===- WithoutMeaning.cpp - Options of a launch that change no plan ---------------------------===//
#include "frontend/import/megatron/LaunchOptions.h"
#include "frontend/import/megatron/OtherReleases.h"
#include "frontend/import/settings/DefaultTable.h"
#include "support/WordTable.h"

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::megatron;

bool dpl::imports::megatron::isAtDefault(llvm::StringRef option, llvm::StringRef value) {
  static const settings::DefaultTable defaults{
#define DEFAULT(VALUE, OPTIONS) {VALUE, OPTIONS},
#include "frontend/import/megatron/Defaults.def"
  };
  const std::optional<llvm::StringRef> known = defaults.of(option);
  double given = 0, own = 0;
  return known && (value == *known || (!value.getAsDouble(given) && !known->getAsDouble(own) &&
                                       !(given < own || own < given)));
}

bool dpl::imports::megatron::hasAValue(llvm::StringRef option) {
  static const WordTable ends(R"(
-path -dir -file -files -model -type -name -project -interval -iters -samples -id -entity -port
-backend -minutes -mins -ranks -lr -format -level -tokens -len -algo -rate -grad -strictness)");
  static const WordTable names("--save --load --seed --split --lr --min-lr --num-workers");
  return ends.hasSuffixOf(option) || names.has(option);
}

bool dpl::imports::megatron::hasNoEffectOnPlan(llvm::StringRef option) {
  static const WordTable prefixes(R"(
--log- --save --load --tensorboard --wandb --eval --data- --tokenizer --no-load --no-save --exit-
--profile --timing- --one-logger --rerun --dist-ckpt --ckpt- --async- --num-dataset --mock- --lr-
--train- --valid- --test- --hf- --adam-eps --clip- --initial-loss --loss- --min-loss --hysteresis
--distributed- --manual-gc --inference- --non-persistent --auto-detect --check- --no-check
--override- --finetune --te-rng --mmap --no-mmap --create-attention --no-create-attention
--moe-per-layer --mtp-loss --straggler --nccl- --high-priority --logging- --no-one-logger
--enable-one-logger --app-tag- --adlr-autoresume --pytorch-profiler- --use-checkpoint-opt
--use-dist-ckpt --use-persistent-ckpt --no-ckpt- --fim- --decoupled- --fp8-amax- --no-log-
--flight-recorder- --disable-flight-recorder- --no-flight-recorder- --moe-routing-trace-
--inprocess- --replication --dataloader-defer- --dataloader-fast-)");
  static const WordTable names(R"(
--seed --reset-position-ids --init-method-xavier-uniform --split --vocab-file --merge-file
--num-workers --lr --min-lr --dataloader-type --weight-decay-incr-style --start-weight-decay
--end-weight-decay --moe-grouped-gemm --tiktoken-pattern --tiktoken-num-special-tokens
--legacy-tokenizer --no-masked-softmax-fusion --no-bias-dropout-fusion --no-persist-layer-norm
--cross-entropy-fusion-impl --no-gradient-accumulation-fusion --use-flash-attn --use-mcore-models
--no-async-tensor-model-parallel-allreduce --calculate-per-token-loss
--disable-gloo-process-groups --enable-gloo-process-groups --no-scatter-gather-tensors-in-pipeline
--local-rank --config-logger-dir --barrier-with-L1-time --no-barrier-with-level-1-timing
--ddp-num-buckets --ddp-average-in-collective --ddp-pad-buckets-for-high-nccl-busbw
--empty-unused-memory-level --moe-router-force-load-balancing --trust-remote-code --fp8-margin
--fp8-interval --disable-bf16-reduced-precision-matmul --eod-mask-loss --iterations-to-skip
--phase-transition-iterations --per-split-data-args-path --multiple-validation-sets
--full-validation --chat-template --special-tokens --mid-level-dataset-surplus
--object-storage-cache-path --use-pytorch-profiler --nvtx-ranges --record-memory-history
--memory-snapshot-path --result-rejected-tracker-filename --use-cpu-initialization
--no-initialization --enable-ft-package --calc-ft-timeouts --dump-param-to-param-group-map
--ft-num-warmup-iters --no-manual-gc-eval --persistent-save-interval --pretrained-checkpoint
--record-shapes --run-workload-inspector-server --start-eval-at-iter)");
  const OtherOption* const row = otherRelease(option, "");
  return prefixes.hasPrefixOf(option) || names.has(option) ||
         (row && row->effect == OptionEffect::Without);
}
