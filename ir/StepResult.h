#pragma once
//===- StepResult.h - The times of a step by cause (estimate-step) ----------------------------===//
#include <cstdint>

namespace dpl::ir {

/// Times of one optimizer step in seconds, for the pipeline rank that sets the step. The plan's
/// text omits them, because they follow from its other parts.
struct StepResult {
  double compute = 0, recompute = 0, optimizer = 0, jitter = 0, step = 0;
  double loading = 0;        ///< waits for samples
  double waits = 0;          ///< rest of the schedule: waits for communication and other stages
  double sends = 0;          ///< waits for the rank's own messages
  double bubbleFraction = 0; ///< idle device-time of the pipeline over its device-time
  double schedule = 0;       ///< the executed step, without jitter
  double end = 0;            ///< end of the last operation of any rank
  /// Action time of all ranks together, action time of the busiest rank, and end of the last
  /// action.
  double busy = 0, busiest = 0, makespan = 0;
  double longestRankSpan = 0; ///< longest time from the first to the last action of a rank
  double amplification = 1;   ///< factor of the step by jitter
  double imbalance = 1;       ///< action time of the slowest pipeline rank over the mean
  std::uint64_t rank = 0;     ///< pipeline rank with the most work
};

} // namespace dpl::ir
