#pragma once
//===- NotedStep.h - Records one step again, and finds the slowest rank -----------------------===//
#include "simulate/plan/Simulation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dpl::simulation {

/// The step whose time is closest to the mean.
std::uint64_t nearestToMean(const std::vector<std::uint64_t>& steps);

/// If the request asks for a critical path or a timeline, repeats a step by calling `again`, which
/// uses `run`, and records them.
void noteStep(const SimulationRequest& request, const StepShape& shape, StepRun& run,
              std::uint64_t step, llvm::function_ref<std::uint64_t()> again,
              SimulationResult& result);

/// The simulated rank whose computation was longest relative to the mean of its pipeline rank.
std::optional<std::uint32_t> slowestSimulatedRank(const StepShape& shape, const StepRun& run);
/// The rank that is slowest in most steps, given the slowest rank of each step.
std::optional<Slowest> slowestOf(const StepShape& shape,
                                 llvm::ArrayRef<std::optional<std::uint32_t>> ofSteps);

} // namespace dpl::simulation
