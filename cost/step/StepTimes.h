#pragma once
//===- StepTimes.h - Where the time of a step goes --------------------------------------------===//
#include "cost/execution/Proof.h" // serialWait
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace dpl::cost {

/// Works out the times of a step. Of a plan that `estimate-step` has completed, read Plan::step.
/// Relies on: stage programs and a schedule with times.
ir::StepResult stepTimes(const ir::Plan& plan);

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
