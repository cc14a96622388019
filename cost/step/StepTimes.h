#pragma once
//===- StepTimes.h - The times of a step by cause ---------------------------------------------===//
#include "cost/execution/Proof.h" // serialWait
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace dpl::cost {

/// Computes the times of a step. If `estimate-step` has completed the plan, read Plan::step
/// instead. Relies on: stage programs and a schedule with times.
ir::StepResult stepTimes(const ir::Plan& plan);

/// Whether a flush ends each step of the layout's schedule.
bool endsWithFlush(const ir::Layout& layout);
/// Largest number of weight versions on a rank; 1 if a flush ends each step.
std::uint64_t mostWeightVersions(const ir::Plan& plan);

/// Times in ps if all stages took the mean time and messages took none: the actions of a rank, and
/// the makespan.
struct EqualStages {
  std::uint64_t work = 0, makespan = 0;
};
/// The closed form of the schedule; empty if it has none for the plan's shape and times.
std::optional<EqualStages> equalStages(const ir::Plan& plan);

/// ps per micro-batch by which the actions of a chunk take longer than their computation.
struct ActionWaits {
  std::uint64_t forward = 0, backward = 0;
};
ActionWaits actionWaits(const ir::Plan& plan, ir::ChunkId chunk);

/// ps per micro-batch in which the actions of a chunk wait for collectives or are slowed down by
/// them. Merged pairs are counted as they run. 0 if the plan has no stage programs.
std::uint64_t exposedInActions(const ir::Plan& plan, ir::ChunkId chunk);

} // namespace dpl::cost
