#pragma once
//===- NotedStep.h - What one step shows that is run once more, and who is slow ---------------===//
#include "simulate/plan/Simulation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dpl::simulation {

/// The step that is nearest to the mean of all.
std::uint64_t nearestToMean(const std::vector<std::uint64_t>& steps);

/// Notes who waits for whom while `again` runs a step on `run`, for what the request asks of it.
void noteStep(const SimulationRequest& request, const StepShape& shape, StepRun& run,
              std::uint64_t step, llvm::function_ref<std::uint64_t()> again,
              SimulationResult& result);

/// The unit that computed longest beside those of its pipeline rank.
std::optional<std::uint32_t> slowestSimulatedRank(const StepShape& shape, const StepRun& run);
/// By who that was in each step.
std::optional<Slowest> slowestOf(const StepShape& shape,
                                 llvm::ArrayRef<std::optional<std::uint32_t>> ofSteps);

} // namespace dpl::simulation
