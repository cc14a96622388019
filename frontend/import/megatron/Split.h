#pragma once
//===- Split.h - The pipeline split that a launch asks for ------------------------------------===//
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

/// What the split is of: the model's layers and the pipeline ranks.
struct StageCounts {
  std::uint64_t layers, pipeline, prediction;
};

struct LayerAssignment {
  std::uint64_t chunks = 1;             ///< a pipeline rank
  std::vector<std::uint64_t> layers;    ///< by chunk in model order; empty: even
  bool embedding = false, head = false; ///< take the slot of a layer
};

/// Reports what Megatron-LM refuses and what a plan cannot say: an embedding or a head elsewhere
/// than at the ends, prediction layers elsewhere than before the head.
LayerAssignment splitOf(LaunchOptions& launch, const StageCounts& stages);

/// Which layers have experts, by the value of --moe-layer-freq: "2", or a sum of repeated lists as
/// "([0]*3+[1]*58)".
FailureOr<std::vector<bool>> expertLayers(llvm::StringRef pattern, std::uint64_t layers);

} // namespace dpl::imports::megatron
