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

RecentBlock dpl::recentBlockOf(const ir::Model& model) {
  for (const ir::LayerType& layer : model.layerTypes) {
    if (!layer.recurrence.empty())
      return {"layers with a recurrence", "model.layer"};
    if (!layer.indexer.empty())
      return {"an indexer of attention", "model.attention"};
    if (layer.attention.gate)
      return {"a gate of the output of attention", "model.attention"};
    if (layer.attention.kind == ir::AttentionKind::Grouped && layer.attention.value > 0)
      return {"values of another size than keys", "model.attention"};
    if (layer.feedForward.sharedGate.value_or(false))
      return {"a gate of shared experts", "model.ffn"};
  }
  return {};
}
