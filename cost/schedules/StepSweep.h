#pragma once
//===- StepSweep.h - The step of a plan with some of its collectives at no time ---------------===//
#include "cost/schedules/Step.h"
#include "cost/schedules/StoredOrder.h"

namespace dpl::cost {

/// Runs the step of a plan many times, in the order that its passes have.
class StepSweep {
public:
  /// Relies on: bodies, and a schedule with times.
  explicit StepSweep(const ir::Plan& plan);
  /// ps of the step.
  std::uint64_t run(TakesTime takesTime);

private:
  const ir::Plan& plan;
  std::vector<std::vector<ir::Device>> held; ///< parallel to Mesh::held
  StoredOrder order;
  StepPieces pieces;
};

/// ps of the step as the times of the plan's schedule have it.
std::uint64_t endOfSchedule(const ir::Plan& plan);

/// ps of the step behind its passes: what still runs of the calls they left behind, collectives at
/// the end, the barrier and the update. `chunks` by Placement::indexOf; `held` are the devices that
/// pace the ranks, parallel to Mesh::held.
std::uint64_t endOfStep(const ir::Plan& plan, llvm::ArrayRef<ChunkStep> chunks,
                        llvm::ArrayRef<SweptRank> ranks,
                        llvm::ArrayRef<std::vector<ir::Device>> held);

} // namespace dpl::cost
