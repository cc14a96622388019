#pragma once
//===- NotedStep.h - Records one step again, and finds the slowest rank -----------------------===//
#include "simulate/plan/Simulation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dpl::simulation {

/// The step whose time is closest to the mean.
std::uint64_t nearestToMean(const std::vector<std::uint64_t>& steps);

/// Runs a step on `run` a second time by calling `again`, and records the critical path and the
/// timeline if the request asks for them.
void noteStep(const SimulationRequest& request, const StepShape& shape, StepRun& run,
              std::uint64_t step, llvm::function_ref<std::uint64_t()> again,
              SimulationResult& result);

/// The simulated rank that computed longest relative to its pipeline rank.
std::optional<std::uint32_t> slowestSimulatedRank(const StepShape& shape, const StepRun& run);
/// The slowest rank over all steps, by the slowest of each step.
std::optional<Slowest> slowestOf(const StepShape& shape,
                                 llvm::ArrayRef<std::optional<std::uint32_t>> ofSteps);

} // namespace dpl::simulation
