#pragma once
//===- Compressed.h - Reductions of gradients, whole and compressed ---------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// Of the chunks of a pipeline rank in a step: seconds of the reductions one after the other, of
/// whole gradients and of what is sent for them, and the bytes of both.
struct CompressedSums {
  double whole = 0, compressed = 0, wholeBytes = 0, sentBytes = 0;
};
/// Relies on: a layout that compresses, groups and costs.
CompressedSums compressedSums(const ir::Plan& plan, std::uint64_t rank);

} // namespace dpl::cost
