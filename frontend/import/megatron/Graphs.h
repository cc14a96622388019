#pragma once
//===- Graphs.h - CUDA graphs of a launch -----------------------------------------------------===//
#include "frontend/import/megatron/Launch.h"

namespace dpl::imports::megatron {

struct Graphs {
  bool whole = false; ///< they capture what `cuda_graphs = true` says
  std::string parts;  ///< the parts of a layer that they capture otherwise, "attn, mlp"
};

/// Reads the options of CUDA graphs. Graphs of parts of a layer leave most kernel launches to the
/// host.
Graphs graphsOf(Launch& launch);

} // namespace dpl::imports::megatron
