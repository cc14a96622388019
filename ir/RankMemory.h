#pragma once
//===- RankMemory.h - Memory of a device of a pipeline rank (check-memory) --------------------===//
#include "ir/Basics.h"
#include <algorithm>

namespace dpl::ir {

/// Bytes of one device of a pipeline rank at its peak.
struct RankMemory {
  std::uint64_t rank = 0;
  std::uint64_t parameters = 0, gradients = 0, optimizer = 0;
  std::uint64_t buffers = 0;                    ///< permanent memory in addition to the states
  std::uint64_t activations = 0, temporary = 0; ///< at the peak of the forward and backward passes
  std::uint64_t update = 0;                     ///< temporary bytes during the optimizer step
  std::uint64_t reserved = 0; ///< bytes outside the allocator, and free blocks in it
  double inFlight = 0;      ///< in-flight micro-batches at the peak, the mean over chunks by bytes
  std::uint64_t usable = 0; ///< usable bytes of the device with the least headroom
  std::uint64_t nodeType = 0; ///< its node type, an index into Cluster::nodeTypes
  /// Memory that is allocated during the whole step.
  std::uint64_t persistent() const {
    return parameters + gradients + optimizer + buffers + reserved;
  }
  /// The larger of the peak of forward and backward passes and that of the optimizer step.
  std::uint64_t peak() const { return persistent() + std::max(activations + temporary, update); }
  /// Free bytes at the peak; negative if the rank does not fit.
  std::int64_t headroom() const {
    constexpr std::uint64_t most = INT64_MAX / 2; // so that a sum of two does not overflow
    const std::uint64_t p = peak();
    return p > usable ? -static_cast<std::int64_t>(std::min(p - usable, most))
                      : static_cast<std::int64_t>(std::min(usable - p, most));
  }
  template <class V> void fields(V& v) {
    v("rank", rank), v("parameters", parameters), v("gradients", gradients);
    v("optimizer", optimizer), v("buffers", buffers), v("activations", activations);
    v("temporary", temporary), v("optimizer_step", update), v("non_tensor", reserved),
        v("in_flight", inFlight);
    v("usable", usable), v("node_type", nodeType);
  }
};
/// The rank with the least headroom, the first of equal ones; null without ranks.
const RankMemory* tightest(const std::vector<RankMemory>& memory);

} // namespace dpl::ir
