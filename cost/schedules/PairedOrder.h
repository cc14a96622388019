#pragma once
//===- PairedOrder.h - DualPipe's order, which two rows share ---------------------------------===//
//
// DualPipe (DeepSeek-AI, arXiv 2412.19437, section 3.2.1) has micro-batches come from two sides: a
// rank runs a forward of one chunk merged with a backward of the other, so that the exchanges of
// one can hide behind the computation of the other. The order is that of `step` in
// github.com/deepseek-ai/DualPipe (3da1bbe), dualpipe.py and dualpipev.py.
#include "cost/schedules/Schedule.h"

namespace dpl::cost {

/// The order of one rank. Its micro-batches of the near chunk come over the ranks before it, those
/// of the far chunk over the ranks behind it.
struct PairedOrder {
  std::uint64_t ranks = 1, rank = 0; ///< to the rank at which both sides meet
  std::uint64_t microBatches = 1;    ///< of a chunk
  std::uint16_t near = 0;            ///< the near chunk
  std::uint32_t firstOf[2] = {0, 0}; ///< micro-batches of the chunks begin with it
  void generate(ActionList& out) const;
  /// What is sent and needed is collected, and posted and waited for together before the next pass
  /// (`commit`).
  void exchanges(GroupWriter& to) const;
};

} // namespace dpl::cost
