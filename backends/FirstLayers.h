#pragma once
//===- FirstLayers.h - The layer shapes of a model that a framework is told -------------------===//
#include "ir/Plan.h"

namespace dpl {

/// Frameworks know one attention, one dense and one routed part: those of the first layer that has
/// one; null for a model without. They point into the model.
struct FirstLayers {
  explicit FirstLayers(const ir::Model& model);

  const ir::Attention* attention = nullptr;
  const ir::FeedForward* dense = nullptr;
  const ir::FeedForward* routed = nullptr;
};

} // namespace dpl
