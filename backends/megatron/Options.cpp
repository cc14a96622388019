//===- Options.cpp - Options of pretrain_gpt.py that only some releases have ------------------===//
//
// The options that `emit` writes, from the argument parsers of five releases: the wheels of
// megatron-core 0.17.1, 0.18.2 and 0.19.2, and the tags core_v0.15.3 and core_v0.16.1, because the
// wheels of these two have no parser.
#include "backends/megatron/Options.h"

using namespace dpl;

ReleaseRange dpl::megatron::releasesOfOption(llvm::StringRef option) {
  struct Row {
    const char* option;
    ReleaseRange releases;
  };
  constexpr Row rows[] = {
      {"--moe-flex-dispatcher-backend", "0.16"},
      {"--cuda-graph-modules", "0.18"},
      {"--fp4-format", "0.15"},
      {"--fp4-param-gather", "0.15"},
      {"--yarn-beta-fast", "0.19"},
      {"--yarn-beta-slow", "0.19"},
      {"--yarn-correction-range-round-to-int", "0.19"},
      {"--no-yarn-correction-range-round-to-int", "0.19"},
      {"--yarn-original-max-position-embeddings", "0.19"},
      {"--lion-beta1", "0.17"},
      {"--lion-beta2", "0.17"},
      {"--muon-momentum", "0.16"},
      {"--muon-tp-mode", "0.16"},
      {"--megatron-fsdp-grad-comm-dtype", "0.17"},
      {"--megatron-fsdp-main-grads-dtype", "0.17"},
      {"--megatron-fsdp-main-params-dtype", "0.17"},
  };
  for (const Row& row : rows)
    if (option == row.option)
      return row.releases;
  return "";
}
