#pragma once
//===- Blocks.h - Attention and recurrences of the layers of a config.json --------------------===//
#include "frontend/import/huggingface/ModelFields.h"

namespace dpl::imports {

/// Lines of a model, and the fields in which single layers differ from them.
struct LayerFields {
  std::vector<std::string> lines;
  std::vector<std::string> declared; ///< by layer
  std::uint64_t headDim = 1;         ///< elements of a head that rotary positions may rotate

  /// Adds the field to the layers listed.
  void differ(const std::vector<std::uint64_t>& listed, const std::string& field);
};

/// The number of layers: that of the list of blocks if a layer is a single block.
std::uint64_t layersOf(JsonConfig& config, const Architecture& a, std::uint64_t most);

/// Sets heads, attention and recurrence of all layers.
void attentionFields(JsonConfig& config, const Architecture& a, std::uint64_t layers,
                     std::uint64_t hidden, LayerFields& out);

/// The text of the recurrence of the architecture, for a model with `heads` heads.
std::string recurrenceText(JsonConfig& config, const Architecture& a, std::uint64_t hidden,
                           std::uint64_t heads);

/// For an architecture whose layers are single blocks: the layers that are not experts or not dense
/// feed-forward networks, and what they have instead.
void singleBlocks(JsonConfig& config, const Architecture& a, std::uint64_t hidden,
                  const std::string& dense, LayerFields& out);

} // namespace dpl::imports
