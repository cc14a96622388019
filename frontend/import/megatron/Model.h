#pragma once
//===- Model.h - The model that a launch trains -----------------------------------------------===//
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

struct ModelText {
  std::string fields; ///< lines of a `model` block
  std::uint64_t layers, predictionLayers;
};

/// Absent options have the defaults of Megatron-LM's parser.
ModelText modelOf(LaunchOptions& launch);

} // namespace dpl::imports::megatron
