//===- FirstLayers.cpp - Layer sizes that frameworks have one option for ----------------------===//
#include "backends/FirstLayers.h"

using namespace dpl;

FirstLayers::FirstLayers(const ir::Model& model) {
  for (const ir::LayerRun& run : model.runs) {
    const ir::LayerType& layer = model.layerTypes[run.layerType];
    if (!attention && layer.attention.kind != ir::AttentionKind::None)
      attention = &layer.attention;
    const bool experts = layer.feedForward.kind == ir::FeedForwardKind::Experts;
    if (const ir::FeedForward*& first = experts ? routed : dense;
        !first && layer.feedForward.kind != ir::FeedForwardKind::None)
      first = &layer.feedForward;
  }
}
