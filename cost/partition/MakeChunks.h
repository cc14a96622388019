#pragma once
//===- MakeChunks.h - Chunks from the layers of each stage ------------------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// Each where the placement puts it, the ends of the model on the first and the last stage.
std::vector<ir::Chunk> makeChunks(const ir::Model& model, const std::vector<std::uint64_t>& layers,
                                  const ir::Placement& placement);

/// Writes the split that a plan has into a layout, stage by stage.
void writeSplit(ir::Layout& layout, const ir::Plan& chosen);

} // namespace dpl::cost
