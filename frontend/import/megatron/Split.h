#pragma once
//===- Split.h - The pipeline stages of a launch ----------------------------------------------===//
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

/// Layers to divide over pipeline ranks.
struct StageCounts {
  std::uint64_t layers, pipeline, prediction;
};

struct LayerAssignment {
  std::uint64_t chunks = 1;             ///< model chunks per pipeline rank
  std::vector<std::uint64_t> layers;    ///< layers of each chunk in model order; empty if even
  bool embedding = false, head = false; ///< whether it counts as a layer
};

/// Reports a split that Megatron-LM refuses or a plan cannot express: an embedding or a head that
/// is not at an end, or prediction layers that are not before the head.
LayerAssignment splitOf(LaunchOptions& launch, const StageCounts& stages);

/// Which layers have experts, from the value of --moe-layer-freq: "2", or a sum of repeated lists
/// such as "([0]*3+[1]*58)".
FailureOr<std::vector<bool>> expertLayers(llvm::StringRef pattern, std::uint64_t layers);

} // namespace dpl::imports::megatron
