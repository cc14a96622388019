#pragma once
//===- LayoutCandidate.h - One choice of the degrees of a layout ------------------------------===//
#include <cstdint>
#include <type_traits>

namespace dpl::cost {

/// The degrees that a search varies; all other fields are the layout's. Sizes are at least 1. The
/// expert data axis is the product of data, context and tensor, divided by `expert` and
/// `expertTensor`.
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
