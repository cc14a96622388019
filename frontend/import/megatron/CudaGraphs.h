#pragma once
//===- CudaGraphs.h - CUDA graphs of a launch
//--------------------------------------------------===//
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

struct CudaGraphs {
  bool whole = false; ///< they capture what `cuda_graphs = true` says
  std::string parts;  ///< the parts of a layer that they capture otherwise, "attn, mlp"
};

/// Reads the options of CUDA graphs. Graphs of parts of a layer leave most kernel launches to the
/// host.
CudaGraphs graphsOf(LaunchOptions& launch);

} // namespace dpl::imports::megatron
