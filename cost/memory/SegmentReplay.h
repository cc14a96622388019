#pragma once
//===- SegmentReplay.h - A rank's tensors in the order in which they come and go --------------===//
#include "ir/Plan.h"
#include <optional>

namespace dpl::cost {

/// Bytes that PyTorch's allocator takes from the driver.
struct SegmentBytes {
  std::uint64_t reserved = 0;  ///< most, over all that was replayed
  std::uint64_t allocated = 0; ///< most of it in blocks at once
  bool full = false;           ///< once they would have passed the limit
};
/// Of a device of a pipeline rank from the start of training: the states, a step, the moments that
/// the first update makes, and a second step. Nothing where there are too many tensors to follow.
/// Past `limit` bytes it first gives back to the driver what it can.
/// Relies on: a schedule and costs; `memory` is that of the rank.
std::optional<SegmentBytes> segmentsOf(const ir::Plan& plan, const ir::RankMemory& memory,
                                       std::uint64_t limit = ~std::uint64_t{0});

} // namespace dpl::cost
