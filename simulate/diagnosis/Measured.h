#pragma once
//===- Measured.h - Simulated steps of a plan, of all ranks or of workers ---------------------===//
#include "simulate/plan/Simulation.h"
#include "simulate/plan/WorkersSimulation.h"

namespace dpl::diagnosis {

/// Steps of all ranks, or of workers that follow a synchronization mode. One of the two is set.
struct MeasuredSteps {
  std::optional<simulation::SimulationResult> ranks;
  std::optional<simulation::WorkersResult> workers;

  double mean() const; ///< mean step time, ps
  /// Step times in ps. With rounds, the mean step time of each round between two barriers.
  std::vector<double> samples() const;
  /// Whether samples correspond to steps in order, because a barrier follows each sample.
  bool aligned() const;
  /// Half-width of the 95 % confidence interval of the mean, or of mean differences, in ps.
  std::optional<double> halfWidth() const;
  std::optional<double> halfWidthOf(const std::vector<double>& ofEach) const;
};

/// Why steps cannot be simulated, as a sentence; empty if they can. `times` multiplies their
/// number.
std::string whyNotMeasured(const ir::Plan& plan, const simulation::SimulationRequest& request,
                           bool byWorkers, std::uint64_t times = 1);
/// Relies on: a complete plan, for which `whyNotMeasured` is empty.
MeasuredSteps measured(const ir::Plan& plan, const simulation::SimulationRequest& request,
                       bool byWorkers);

/// A step without some cause; times are in ps.
struct StepComparison {
  double step = 0;  ///< mean
  double saved = 0; ///< share of the unchanged step; negative if the step becomes longer
  /// Half-width of the mean difference, share of the step, 95 % confidence; none with few samples.
  std::optional<double> halfWidth;
};
/// Compares steps that used the same random numbers.
StepComparison compare(const MeasuredSteps& now, const MeasuredSteps& with);

} // namespace dpl::diagnosis
