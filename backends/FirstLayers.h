#pragma once
//===- FirstLayers.h - Layer sizes that frameworks have one option for ------------------------===//
#include "ir/Plan.h"

namespace dpl {

/// Frameworks have one set of options for attention, one for dense layers and one for routed
/// layers. These are the sizes of the first layer of each kind, or null if the model has none. They
/// point into the model.
struct FirstLayers {
  explicit FirstLayers(const ir::Model& model);

  const ir::Attention* attention = nullptr;
  const ir::FeedForward* dense = nullptr;
  const ir::FeedForward* routed = nullptr;
};

/// A block or a part of one that no layer had before 2025, in words for a message, and the field of
/// the model that has it. Both are null if the model has none.
struct RecentBlock {
  const char* words = nullptr;
  const char* field = nullptr;
};
RecentBlock recentBlockOf(const ir::Model& model);

} // namespace dpl
