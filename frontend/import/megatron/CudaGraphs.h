#pragma once
//===- CudaGraphs.h - CUDA graph options of a Megatron-LM launch ------------------------------===//
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

struct CudaGraphs {
  bool whole = false; ///< whether the graphs capture as much as `cuda_graphs = true`
  std::string parts;  ///< parts of a layer that they capture if they capture less: "attn, mlp"
};

/// Reads the options for CUDA graphs. If graphs capture only parts of a layer, the host still
/// launches most kernels.
CudaGraphs graphsOf(LaunchOptions& launch);

} // namespace dpl::imports::megatron
