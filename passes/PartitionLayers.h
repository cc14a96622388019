#pragma once
//===- PartitionLayers.h - Layers of each chunk -----------------------------------------------===//
#include "ir/Plan.h"

namespace dpl {

/// Layers of each piece in model order where `split = even`: equal slots, of which the embedding
/// takes some of the first piece and the head some of the last (Megatron-LM's account-for-embedding
/// and account-for-loss flags, with any number of slots). The slots divide (check-layout).
std::vector<std::uint64_t> evenSplit(std::uint64_t layers, std::uint64_t embeddingSlots,
                                     std::uint64_t headSlots, std::uint64_t pieces);
/// The listed layers a piece in model order; a list a rank is divided evenly over the rank's
/// chunks.
std::vector<std::uint64_t> listedSplit(const std::vector<std::uint64_t>& list,
                                       const ir::Placement& placement);

} // namespace dpl
