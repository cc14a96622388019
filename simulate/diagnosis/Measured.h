#pragma once
//===- Measured.h - Steps of a plan, by whatever simulates them -------------------------------===//
#include "simulate/plan/Simulation.h"
#include "simulate/plan/WorkersSimulation.h"

namespace dpl::diagnosis {

/// One of the two: steps of all ranks, or of data ranks that step in a way of their own.
struct MeasuredSteps {
  std::optional<simulation::SimulationResult> ranks;
  std::optional<simulation::WorkersResult> workers;

  double mean() const; ///< ps of a step
  /// ps of each step, or of a step in each round between two meetings.
  std::vector<double> samples() const;
  /// The parts are of the steps in their order, as somebody meets behind each.
  bool aligned() const;
  /// Of the mean, or of that of differences between parts: ps, 95 % confidence.
  std::optional<double> halfWidth() const;
  std::optional<double> halfWidthOf(const std::vector<double>& ofEach) const;
};

/// Why not, as a sentence; empty where they are. `times` is how many times as many there are.
std::string whyNotMeasured(const ir::Plan& plan, const simulation::SimulationRequest& request,
                           bool byWorkers, std::uint64_t times = 1);
/// Relies on: a complete plan, and nothing that speaks against it.
MeasuredSteps measured(const ir::Plan& plan, const simulation::SimulationRequest& request,
                       bool byWorkers);

/// Steps without something; times are ps.
struct StepComparison {
  double step = 0;  ///< mean
  double saved = 0; ///< share of the step as it is; below 0 where it takes longer
  /// Of the mean of the differences over the step, 95 % confidence; nothing where too few tell.
  std::optional<double> halfWidth;
};
/// Under the same random numbers.
StepComparison compare(const MeasuredSteps& now, const MeasuredSteps& with);

} // namespace dpl::diagnosis
