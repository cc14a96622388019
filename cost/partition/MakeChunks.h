#pragma once
//===- MakeChunks.h - Chunks from the layers of each stage ------------------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// Makes each chunk where the placement puts it. The first stage has the embedding, the last stage
/// has the head and MTP layers.
std::vector<ir::Chunk> makeChunks(const ir::Model& model, const std::vector<std::uint64_t>& layers,
                                  const ir::Placement& placement);

/// Writes the split of a plan into a layout, stage by stage.
void writeSplit(ir::Layout& layout, const ir::Plan& chosen);

} // namespace dpl::cost
