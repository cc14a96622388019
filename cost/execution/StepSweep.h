#pragma once
//===- StepSweep.h - The step of a plan with some of its collectives at no time ---------------===//
#include "cost/execution/SteadyState.h"
#include "cost/execution/Step.h"
#include "cost/execution/StoredOrder.h"

namespace dpl::cost {

/// Runs the step of a plan many times, in the order that its passes have.
class StepSweep {
public:
  /// Relies on: bodies, and a schedule with times.
  explicit StepSweep(const ir::Plan& plan);
  /// ps of the step.
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

/// ps of the step with these chunks: the order swept, and what follows its passes; where no flush
/// parts the steps, from one to the next. `held` are the devices that pace the ranks, parallel to
/// Mesh::rankNodeTypes.
std::uint64_t sweptStep(const ir::Plan& plan, std::uint64_t microBatches, StoredOrder& order,
                        SteadyState& steady, const StepChunks& chunks,
                        llvm::ArrayRef<std::vector<ir::Device>> held);
/// The same of passes that have run, by rank.
std::uint64_t executedStep(const ir::Plan& plan, std::uint64_t microBatches,
                           llvm::ArrayRef<SweptRank> ranks, SteadyState& steady,
                           const StepChunks& chunks, llvm::ArrayRef<std::vector<ir::Device>> held);

/// ps of the step as the times of the plan's schedule have it.
std::uint64_t endOfSchedule(const ir::Plan& plan);

} // namespace dpl::cost
