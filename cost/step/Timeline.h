#pragma once
//===- Timeline.h - Activity and memory of a rank over the step -------------------------------===//
//
// The plan's schedule has the times of actions. This file computes the segments inside them and the
// memory over time, with the functions that gave the schedule its times and the plan its peaks.
#include "ir/Plan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace dpl::cost {

/// A segment of a stage program in one action of a rank; ps from the start of the step.
struct ExecutedSegment {
  ir::ActionId action;
  const ir::Segment* segment = nullptr;
  const ir::Collective* collective = nullptr; ///< collective of the segment; null for computation
  std::uint64_t begin = 0, end = 0;
};

/// Seconds by which overlapped collectives delay the computation of a rank in a step.
double overlapDelay(const ir::Plan& plan, std::uint64_t rank);

/// Visits computation and collectives in the actions of a rank in launch order. A prefetch may
/// begin before its action, and data-stream collectives may end after it. An action whose time
/// differs from that of its stage programs has no segments.
/// Relies on: stage programs, and a schedule with times.
void visitSegments(const ir::Plan& plan, std::uint64_t rank,
                   llvm::function_ref<void(const ExecutedSegment&)> visit);

/// Upper bound of the segments that are visited on all ranks.
std::uint64_t countSegments(const ir::Plan& plan);

/// The actions of a rank from the start of a step to its end: those of the step's schedule and, if
/// no flush separates steps, those of neighbouring steps, cut to this time.
struct RankStepView {
  const ir::RankSchedule* schedule = nullptr;
  ir::RankSchedule neighbours; ///< empty if a flush ends each step
};
RankStepView rankStepView(const ir::Plan& plan, std::uint64_t rank);

/// Bytes on a device of a rank from `time` (ps) on.
struct MemorySample {
  std::uint64_t time = 0, bytes = 0;
  std::uint64_t activations = 0; ///< part of `bytes`: saved activations of in-flight micro-batches
  std::uint64_t gradients = 0;   ///< part of `bytes`: unsharded gradients
};
/// Memory over the step, rising in time: persistent memory, saved activations, and temporary memory
/// of the running action. The maximum is the peak of the rank's memory.
std::vector<MemorySample> memoryOverStep(const ir::Plan& plan, std::uint64_t rank);

/// The time of a rank's peak memory and what runs then.
struct PeakMoment {
  bool update = false;         ///< the peak is in the optimizer step
  ir::ScheduledAction running; ///< the action at the peak, if not `update`
  std::uint64_t time = 0;      ///< ps
  /// The module and the operator with the largest tensor at the peak: "layer[gated]" and an
  /// operator, "head" and "loss". If the peak is at the end of the action, `op` is empty.
  std::string module, op;
};
PeakMoment peakMoment(const ir::Plan& plan, std::uint64_t rank);

} // namespace dpl::cost
