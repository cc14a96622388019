//===- MakeChunks.cpp - Chunks from the layers of each stage ----------------------------------===//
#include "cost/partition/MakeChunks.h"

using namespace dpl;

std::vector<ir::Chunk> dpl::cost::makeChunks(const ir::Model& model,
                                             const std::vector<std::uint64_t>& layers,
                                             const ir::Placement& placement) {
  std::vector<ir::Chunk> chunks;
  chunks.reserve(placement.stageReplicas());
  const std::uint64_t stages = placement.stages();
  for (std::uint64_t direction = 0; direction < placement.directions(); ++direction) {
    std::uint64_t next = 0;
    for (std::uint64_t stage = 0; stage < stages; ++stage) {
      const ir::Placement::ChunkLocation place = placement.locationOf(stage, direction);
      ir::Chunk& chunk = chunks.emplace_back();
      chunk.rank = place.rank;
      chunk.chunk = place.chunk;
      chunk.firstLayer = next;
      chunk.layers = layers[stage];
      chunk.embedding = stage == 0 && !model.isLayerList();
      next += chunk.layers;
    }
    chunks.back().predictionLayers = model.predictionLayers;
    chunks.back().head = !model.isLayerList();
  }
  return chunks;
}

void dpl::cost::writeSplit(ir::Layout& layout, const ir::Plan& chosen) {
  layout.split = ir::SplitKind::Listed;
  layout.embeddingSlots = layout.headSlots = 0;
  layout.splitLayers.clear();
  // Both directions have the same stages.
  for (std::uint64_t stage = 0; stage < chosen.placement.stages(); ++stage)
    layout.splitLayers.push_back(chosen.chunks[stage].layers);
}
