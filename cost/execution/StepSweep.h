#pragma once
//===- StepSweep.h - The step without the time of some collectives ----------------------------===//
#include "cost/execution/SteadyState.h"
#include "cost/execution/Step.h"
#include "cost/execution/StoredOrder.h"

namespace dpl::cost {

/// Runs the step of a plan many times, in the order of its schedule.
class StepSweep {
public:
  /// Relies on: stage programs, and a schedule with times.
  explicit StepSweep(const ir::Plan& plan);
  /// ps of the step if only the collectives of `includes` take time.
  std::uint64_t run(IncludesCollective includes);
  /// ps of the step with the given chunk times.
  std::uint64_t run(const StepChunks& of);

private:
  const ir::Plan& plan;
  std::vector<std::vector<ir::Device>> pacingDevicesOfRanks; ///< parallel to Mesh::rankNodeTypes
  StoredOrder order;
  SteadyState steady;
  StepChunks chunks;
};

/// ps of the step with these chunks: the actions in `order` and the end of the step. Without a
/// flush: ps from one step to the next. `held` are the devices that pace the ranks, parallel to
/// Mesh::rankNodeTypes.
std::uint64_t sweptStep(const ir::Plan& plan, std::uint64_t microBatches, StoredOrder& order,
                        SteadyState& steady, const StepChunks& chunks,
                        llvm::ArrayRef<std::vector<ir::Device>> held);
/// ps of the step for actions that have already run; `ranks` has their times by rank.
std::uint64_t executedStep(const ir::Plan& plan, std::uint64_t microBatches,
                           llvm::ArrayRef<SweptRank> ranks, SteadyState& steady,
                           const StepChunks& chunks, llvm::ArrayRef<std::vector<ir::Device>> held);

/// ps of the step according to the times in the plan's schedule.
std::uint64_t endOfSchedule(const ir::Plan& plan);

} // namespace dpl::cost
