#pragma once
//===- LayoutCandidate.h - One choice of the degrees of a layout
//-------------------------------===//
#include <cstdint>
#include <type_traits>

namespace dpl::cost {

/// What a search varies; everything else is the layout's. Sizes are at least 1. The devices that
/// data, context and tensor share and `expert` and `expertTensor` leave are the experts' data axis.
struct LayoutCandidate {
  std::uint32_t replica = 1, pipeline = 1, data = 1, context = 1, tensor = 1;
  std::uint32_t expert = 1, expertTensor = 1;
  std::uint64_t microBatch = 1;  ///< up to ir::mostSequences, which needs 33 bits
  bool sequenceParallel = false; ///< `shard.sequence = tensor`

  /// Devices of one stage of one replica.
  std::uint64_t stage() const { return std::uint64_t{data} * context * tensor; }
  std::uint64_t dataRanks() const { return std::uint64_t{replica} * data; }
  bool operator==(const LayoutCandidate&) const = default;
};
static_assert(std::is_trivially_copyable_v<LayoutCandidate> && sizeof(LayoutCandidate) <= 64);

} // namespace dpl::cost
