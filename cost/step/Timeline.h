#pragma once
//===- Timeline.h - What a rank does and holds at which time of the step ----------------------===//
//
// The plan's schedule says when passes run. What goes on inside them and what is held meanwhile
// follows from it and is worked out here, by the functions of the cost model that gave the
// schedule its times and the plan its peaks.
#include "ir/Plan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace dpl::cost {

/// A segment of a body in one pass of a rank; ps from the start of the step.
struct ExecutedSegment {
  ir::ActionId action;
  const ir::Segment* segment = nullptr;
  const ir::Collective* collective = nullptr; ///< what a Call runs
  std::uint64_t begin = 0, end = 0;
};

/// Visits computation and calls inside the passes of a rank, in the order in which it issues them.
/// A prefetch may begin before its pass, and calls of the data stream may end behind theirs. A pass
/// whose time is not that of its bodies alone has nothing inside it.
/// Relies on: bodies, and a schedule with times.
void visitSegments(const ir::Plan& plan, std::uint64_t rank,
                   llvm::function_ref<void(const ExecutedSegment&)> visit);

/// How many segments are visited on all ranks, at most.
std::uint64_t countSegments(const ir::Plan& plan);

/// What a rank runs from the begin of a step to its end: the step's own list, and where no flush
/// parts steps what it runs of those around it meanwhile, cut to that time.
struct RankStepView {
  const ir::RankSchedule* schedule = nullptr;
  ir::RankSchedule neighbours; ///< empty where a flush ends each step
};
RankStepView rankStepView(const ir::Plan& plan, std::uint64_t rank);

/// Bytes that a device of a rank holds from a time on; ps.
struct MemorySample {
  std::uint64_t time = 0, bytes = 0;
  std::uint64_t activations = 0; ///< of `bytes`: kept by live micro-batches
  std::uint64_t gradients = 0;   ///< of `bytes`: summed whole over micro-batches
};
/// Over the step, rising in time: what is there all the time, what live micro-batches keep, and
/// what a chunk needs while it runs. The largest is the peak of the rank's memory.
std::vector<MemorySample> memoryOverStep(const ir::Plan& plan, std::uint64_t rank);

/// When a rank holds most, and what runs then.
struct PeakMoment {
  bool update = false;         ///< the optimizer steps
  ir::ScheduledAction running; ///< else: this pass
  std::uint64_t time = 0;      ///< ps
  /// Where that holds most: "layer[gated]" and the operator with the largest tensor, "head" and
  /// "loss"; of a pass that holds most at its end no operator.
  std::string module, op;
};
PeakMoment peakMoment(const ir::Plan& plan, std::uint64_t rank);

} // namespace dpl::cost
