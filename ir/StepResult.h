#pragma once
//===- StepResult.h - Where the time of a step goes (estimate-step) ---------------------------===//
#include <cstdint>

namespace dpl::ir {

/// Times of one optimizer step in seconds, of the pipeline rank that sets it. The plan's text
/// leaves them out: they follow from the parts that it has.
struct StepResult {
  double compute = 0, recompute = 0, optimizer = 0, jitter = 0, step = 0;
  double loading = 0;        ///< waits for samples
  double waits = 0;          ///< what is left of the schedule: for communication and other stages
  double sends = 0;          ///< messages that the rank waits for
  double bubbleFraction = 0; ///< idle device-time of the pipeline over its device-time
  double schedule = 0;       ///< the executed step, without jitter
  double end = 0;            ///< of the last operation of any rank
  /// Passes of all ranks together, of the busiest rank, and the end of the last of them.
  double busy = 0, busiest = 0, makespan = 0;
  double longestRankSpan = 0; ///< from the first pass to the last of the rank that takes longest
  double amplification = 1;   ///< of the step by jitter
  double imbalance = 1;       ///< slowest stage over mean stage, a micro-batch
  std::uint64_t rank = 0;     ///< the pipeline rank with the most to do
};

} // namespace dpl::ir
