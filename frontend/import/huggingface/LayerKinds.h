#pragma once
//===- LayerKinds.h - Which layers of a config.json differ from the others --------------------===//
#include "frontend/import/huggingface/Architectures.h"
#include "frontend/import/huggingface/JsonConfig.h"

namespace dpl::imports {

/// Numbers of the layers that attend to everything, ascending; all where no layer has a window.
std::vector<std::uint64_t> wholeLayers(JsonConfig& config, const Architecture& a,
                                       std::uint64_t layers, std::uint64_t window);

/// Numbers of the layers without experts, ascending.
std::vector<std::uint64_t> denseLayers(JsonConfig& config, const Experts& experts,
                                       std::uint64_t layers);

} // namespace dpl::imports
