#pragma once
//===- Compressed.h - Gradient reductions with and without compression ------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// Seconds and bytes of the gradient reductions of a pipeline rank in a step, one after another,
/// without and with compression.
struct CompressedSums {
  double whole = 0, compressed = 0, wholeBytes = 0, sentBytes = 0;
};
/// The sums of one pipeline rank. Relies on: the layout has `compression`, and the groups and the
/// costs of the chunks are known.
CompressedSums compressedSums(const ir::Plan& plan, std::uint64_t rank);

} // namespace dpl::cost
