#pragma once
//===- SegmentReplay.h - Replays the allocations of a rank ------------------------------------===//
#include "ir/Plan.h"
#include <optional>

namespace dpl::cost {

/// Bytes that PyTorch's allocator reserves from the driver.
struct SegmentBytes {
  std::uint64_t reserved = 0;  ///< largest number of bytes during the replay
  std::uint64_t allocated = 0; ///< largest number of bytes in allocated blocks
  bool full = false;           ///< a reservation would have exceeded the limit
};
/// Replays a device of a pipeline rank from the start of training: the states, a step, the moments
/// that the first update allocates, and a second step. Returns nothing if there are too many
/// tensors. Above `limit` bytes the allocator first returns empty segments to the driver.
/// Relies on: a schedule and costs; `memory` is the memory of the rank.
std::optional<SegmentBytes> segmentsOf(const ir::Plan& plan, const ir::RankMemory& memory,
                                       std::uint64_t limit = ~std::uint64_t{0});

} // namespace dpl::cost
