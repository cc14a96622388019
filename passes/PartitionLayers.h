#pragma once
//===- PartitionLayers.h - Layers of each model chunk -----------------------------------------===//
#include "ir/Plan.h"

namespace dpl {

/// The number of layers of each chunk in model order for `split = even`. All chunks have equal
/// numbers of slots; the embedding and the head use slots of the first and last chunk
/// (Megatron-LM's account-for-embedding and account-for-loss flags, with any number of slots).
/// check-layout checks that the slots divide.
std::vector<std::uint64_t> evenSplit(std::uint64_t layers, std::uint64_t embeddingSlots,
                                     std::uint64_t headSlots, std::uint64_t pieces);
/// The listed numbers of layers per chunk in model order. Numbers listed per rank are divided
/// evenly over the rank's chunks.
std::vector<std::uint64_t> listedSplit(const std::vector<std::uint64_t>& list,
                                       const ir::Placement& placement);

} // namespace dpl
