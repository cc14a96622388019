//===- Options.cpp - Options of pretrain_gpt.py that come and go between releases -------------===//
//
// Read from the argument parsers of the wheels megatron-core 0.17.1, 0.18.2 and 0.19.2, and for
// 0.15.3 and 0.16.1, whose wheels have no parser, from the configuration classes that the options
// fill.
#include "backends/megatron/Options.h"

using namespace dpl;

ReleaseRange dpl::megatron::releasesOfOption(llvm::StringRef option) {
  struct Row {
    const char* option;
    ReleaseRange releases;
  };
  constexpr Row rows[] = {
      // written by `emit`
      {"--fp4-format", "0.15"},
      {"--fp4-param-gather", "0.15"},
      {"--megatron-fsdp-grad-comm-dtype", "0.17"},
      {"--megatron-fsdp-main-grads-dtype", "0.17"},
      {"--megatron-fsdp-main-params-dtype", "0.17"},
      // known to `import` only
      {"--moe-extended-tp", "0.12-0.16"},
      {"--moe-use-legacy-grouped-gemm", "0.12-0.16"},
      {"--no-async-tensor-model-parallel-allreduce", "0.12-0.16"},
      {"--no-scatter-gather-tensors-in-pipeline", "0.12-0.17"},
  };
  for (const Row& row : rows)
    if (option == row.option)
      return row.releases;
  return "";
}
