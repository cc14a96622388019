//===- CudaGraphs.cpp - CUDA graph options of a Megatron-LM launch ----------------------------===//
#include "frontend/import/megatron/CudaGraphs.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl::imports::megatron;

/// Whether graphs of these parts capture as much as `cuda_graphs = true`. That is whole layers, but
/// without the permutation and the GEMMs of experts if their inputs are not padded.
static bool capturesLayers(const LaunchOptions& launch, llvm::ArrayRef<std::string> parts) {
  const auto has = [&](const char* part) { return llvm::is_contained(parts, part); };
  if (parts.empty() || has("full") || has("full_iteration") || has("layer"))
    return true;
  if (!launch.has("--num-experts"))
    return has("attn") && has("mlp");
  const bool padded = launch.has("--moe-expert-capacity-factor") &&
                      launch.has("--moe-pad-expert-input-to-capacity");
  return has("attn") && has(padded ? "moe" : "moe_router");
}

CudaGraphs dpl::imports::megatron::graphsOf(LaunchOptions& launch) {
  const bool local = launch.flag("--enable-cuda-graph"),
             external = launch.flag("--external-cuda-graph");
  const std::string how = launch.choice("--cuda-graph-impl", local || external ? "local" : "none",
                                        {"none", "local", "transformer_engine", "full_iteration"});
  std::vector<std::string> parts = launch.list("--cuda-graph-scope");
  for (const std::string& part : launch.list("--cuda-graph-modules"))
    parts.push_back(part);
  if (how == "none")
    return {};
  const bool whole = how == "full_iteration" || capturesLayers(launch, parts);
  return {whole, whole ? "" : fmt::format("{}", fmt::join(parts, ", "))};
}
