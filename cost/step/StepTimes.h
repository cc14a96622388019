#pragma once
//===- StepTimes.h - Where the time of a step goes --------------------------------------------===//
#include "cost/execution/Proof.h" // serialWait
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace dpl::cost {

/// Times of one optimizer step in seconds, of the pipeline rank that sets it.
struct StepTimes {
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
/// Relies on: bodies and a schedule with times.
StepTimes stepTimes(const ir::Plan& plan);

/// Whether a flush ends each step of the layout's schedule.
bool endsWithFlush(const ir::Layout& layout);
/// Versions of its weights that a rank keeps at most; 1 where a flush ends each step.
std::uint64_t mostWeightVersions(const ir::Plan& plan);

/// If all stages took the mean and messages no time, ps: the passes of a rank, and the makespan.
struct EqualStages {
  std::uint64_t work = 0, makespan = 0;
};
/// Nothing where the schedule has no closed form of it for the plan's shape and times.
std::optional<EqualStages> equalStages(const ir::Plan& plan);

/// ps of one micro-batch by which the passes of a chunk, each by itself, take longer than they
/// compute.
struct ActionWaits {
  std::uint64_t forward = 0, backward = 0;
};
ActionWaits actionWaits(const ir::Plan& plan, ir::ChunkId chunk);

/// ps of one micro-batch in which the passes of a chunk wait for calls inside them, and what the
/// others cost them; of passes that run merged in their pairs. 0 where the plan has no bodies.
std::uint64_t exposedInActions(const ir::Plan& plan, ir::ChunkId chunk);

} // namespace dpl::cost
