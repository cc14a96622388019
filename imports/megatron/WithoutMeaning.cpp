//===- WithoutMeaning.cpp - Options of a launch that change no plan ---------------------------===//
#include "imports/megatron/Launch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace dpl;
using namespace dpl::imports::megatron;

bool dpl::imports::megatron::hasAValue(llvm::StringRef option) {
  for (const char* end :
       {"-path", "-dir", "-file", "-files", "-model", "-type", "-name", "-project", "-interval",
        "-iters", "-samples", "-id", "-entity", "-port", "-backend", "-minutes", "-mins", "-ranks"})
    if (option.endswith(end))
      return true;
  return option == "--save" || option == "--load" || option == "--seed" || option == "--split" ||
         option == "--lr" || option == "--min-lr" || option == "--num-workers";
}

bool dpl::imports::megatron::meansNothingToAPlan(llvm::StringRef option) {
  for (const char* prefix : {"--log-",
                             "--save",
                             "--load",
                             "--tensorboard",
                             "--wandb",
                             "--eval",
                             "--data-",
                             "--tokenizer",
                             "--no-load",
                             "--no-save",
                             "--exit-",
                             "--profile",
                             "--timing-",
                             "--one-logger",
                             "--rerun",
                             "--dist-ckpt",
                             "--ckpt-",
                             "--async-",
                             "--num-dataset",
                             "--mock-",
                             "--lr-",
                             "--train-",
                             "--valid-",
                             "--test-",
                             "--reset-",
                             "--hf-",
                             "--adam-eps",
                             "--clip-",
                             "--initial-loss",
                             "--loss-",
                             "--min-loss",
                             "--hysteresis",
                             "--distributed-",
                             "--manual-gc",
                             "--inference-",
                             "--non-persistent",
                             "--auto-detect",
                             "--check-",
                             "--no-check",
                             "--override-",
                             "--use-checkpoint",
                             "--finetune",
                             "--te-rng",
                             "--mmap",
                             "--no-mmap",
                             "--create-attention",
                             "--no-create-attention",
                             "--moe-per-layer",
                             "--mtp-loss",
                             "--straggler",
                             "--nccl-",
                             "--high-priority"})
    if (option.startswith(prefix))
      return true;
  static const llvm::StringSet<> names{"--seed",
                                       "--init-method-xavier-uniform",
                                       "--split",
                                       "--vocab-file",
                                       "--merge-file",
                                       "--num-workers",
                                       "--lr",
                                       "--min-lr",
                                       "--dataloader-type",
                                       "--weight-decay-incr-style",
                                       "--start-weight-decay",
                                       "--end-weight-decay",
                                       "--attention-dropout",
                                       "--hidden-dropout",
                                       "--moe-grouped-gemm",
                                       "--tiktoken-pattern",
                                       "--tiktoken-num-special-tokens",
                                       "--legacy-tokenizer",
                                       "--no-masked-softmax-fusion",
                                       "--no-bias-dropout-fusion",
                                       "--no-persist-layer-norm",
                                       "--cross-entropy-fusion-impl",
                                       "--no-gradient-accumulation-fusion",
                                       "--use-flash-attn",
                                       "--transformer-impl",
                                       "--use-mcore-models",
                                       "--no-async-tensor-model-parallel-allreduce",
                                       "--moe-permute-fusion",
                                       "--moe-router-fusion",
                                       "--moe-pad-expert-input-to-capacity",
                                       "--calculate-per-token-loss",
                                       "--disable-gloo-process-groups",
                                       "--enable-gloo-process-groups",
                                       "--no-scatter-gather-tensors-in-pipeline",
                                       "--local-rank",
                                       "--config-logger-dir",
                                       "--barrier-with-L1-time",
                                       "--no-barrier-with-level-1-timing",
                                       "--ddp-num-buckets",
                                       "--ddp-average-in-collective",
                                       "--ddp-pad-buckets-for-high-nccl-busbw",
                                       "--empty-unused-memory-level",
                                       "--moe-router-force-load-balancing",
                                       "--trust-remote-code"};
  return names.contains(option);
}
