#pragma once
//===- PairedOrder.h - The order of DualPipe and DualPipeV ------------------------------------===//
//
// In DualPipe (DeepSeek-AI, arXiv 2412.19437, section 3.2.1) micro-batches enter at both ends. A
// rank runs a forward pass of one chunk merged with a backward pass of the other, so that each
// overlaps its token exchanges with the other's computation. The order is that of `step` in
// github.com/deepseek-ai/DualPipe (3da1bbe), dualpipe.py and dualpipev.py.
#include "cost/schedules/Schedule.h"

namespace dpl::cost {

/// The order of one rank. Micro-batches of the near chunk arrive over the ranks before it, those of
/// the far chunk over the ranks after it.
struct PairedOrder {
  std::uint64_t ranks = 1, rank = 0; ///< ranks up to the meeting point; this rank
  std::uint64_t microBatches = 1;    ///< micro-batches per chunk
  std::uint16_t near = 0;            ///< index of the near chunk
  std::uint32_t firstOf[2] = {0, 0}; ///< first micro-batch of each chunk
  void generate(ActionList& out) const;
  /// Collects sends and receives, and posts and awaits them together before the next action
  /// (`commit`).
  void exchanges(GroupWriter& to) const;
};

} // namespace dpl::cost
