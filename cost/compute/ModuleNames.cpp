//===- ModuleNames.cpp - The names of a chunk's modules in paths of figures -------------------===//
#include "cost/compute/ChunkEstimate.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// The part of a figure's path in brackets: the name of the layer type if it is unique, otherwise
/// its index.
std::string bracketed(const Model& m, std::size_t i) {
  const std::string& name = m.layerTypes[i].name;
  const auto same = [&](const LayerType& other) { return other.name == name; };
  const bool own = !name.empty() && name.find_first_of("[]") == std::string::npos &&
                   llvm::count_if(m.layerTypes, same) < 2;
  return "[" + (own ? name : std::to_string(i)) + "]";
}

/// ".rank[2]" for pipeline ranks from 2 on if they have other node types than rank 0.
std::string suffixOf(const Plan& plan, const Chunk& chunk) {
  const RankNodeTypes& ranks = plan.mesh.rankNodeTypes[plan.mesh.rankNodeTypesIndex(chunk.rank)];
  return ranks.nodeTypes == plan.mesh.rankNodeTypes.front().nodeTypes
             ? ""
             : fmt::format(".rank[{}]", ranks.first);
}
} // namespace

std::string ChunkEstimate::nameOf(const Chunk& chunk, const LargestModule& of) const {
  switch (of.computeKind) {
  case ComputeKind::Embedding:
    return "embedding";
  case ComputeKind::Head:
    return "head";
  case ComputeKind::Prediction:
    return "mtp_layer";
  default:
    return "layer" + bracketed(plan.model, of.layerType) + suffixOf(plan, chunk);
  }
}

std::string ChunkEstimate::nameOf(const Chunk& chunk, const ChunkModule& module) const {
  if (module.computeKind == ComputeKind::None)
    return module.word;
  const bool layer = module.computeKind == ComputeKind::Layer;
  return module.word + (layer ? bracketed(plan.model, module.layerType) : "") +
         suffixOf(plan, chunk);
}
