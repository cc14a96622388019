#pragma once
//===- Split.h - The pipeline stages of a launch ----------------------------------------------===//
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

/// The layers to divide over pipeline ranks, and how many ranks there are.
struct StageCounts {
  std::uint64_t layers, pipeline, prediction;
};

struct LayerAssignment {
  std::uint64_t chunks = 1;             ///< model chunks per pipeline rank
  std::vector<std::uint64_t> layers;    ///< layers of each chunk in model order; empty if all
                                        ///< chunks have equally many
  bool embedding = false, head = false; ///< whether the embedding, or the head, counts as a layer
};

/// Reads the options for the split. Reports a split that Megatron-LM refuses or that a plan cannot
/// express: an embedding or a head that is not at an end, or MTP layers that are not before the
/// head.
LayerAssignment splitOf(LaunchOptions& launch, const StageCounts& stages);

/// Which layers have experts, from the value of --moe-layer-freq: "2", or a sum of repeated lists
/// such as "([0]*3+[1]*58)".
FailureOr<std::vector<bool>> expertLayers(llvm::StringRef pattern, std::uint64_t layers);

} // namespace dpl::imports::megatron
