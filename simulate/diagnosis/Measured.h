#pragma once
//===- Measured.h - Simulated steps of a plan, of all ranks or of workers ---------------------===//
#include "simulate/plan/Simulation.h"
#include "simulate/plan/WorkersSimulation.h"

namespace dpl::diagnosis {

/// Simulated steps, either of all ranks or of workers that follow a synchronization mode. One of
/// the two is set.
struct MeasuredSteps {
  std::optional<simulation::SimulationResult> ranks;
  std::optional<simulation::WorkersResult> workers;

  double mean() const; ///< mean step time, ps
  /// Step times in ps. If workers meet only after several steps, the mean step time of each round
  /// between two barriers.
  std::vector<double> samples() const;
  /// Whether samples correspond to steps in order, because a barrier follows each sample.
  bool aligned() const;
  /// Half-width of the 95 % confidence interval of the mean step, or of the mean of `ofEach`, in
  /// ps.
  std::optional<double> halfWidth() const;
  std::optional<double> halfWidthOf(const std::vector<double>& ofEach) const;
};

/// Why steps cannot be simulated, as a sentence; empty if they can. `times` is the number of
/// simulations, each with the steps of the request.
std::string whyNotMeasured(const ir::Plan& plan, const simulation::SimulationRequest& request,
                           bool byWorkers, std::uint64_t times = 1);
/// Simulates the steps. Relies on: a complete plan, for which `whyNotMeasured` is empty.
MeasuredSteps measured(const ir::Plan& plan, const simulation::SimulationRequest& request,
                       bool byWorkers);

/// A changed step, compared with the unchanged one.
struct StepComparison {
  double step = 0;  ///< mean ps of the changed step
  double saved = 0; ///< saved time as a share of the unchanged step; negative if the step becomes
                    ///< longer
  /// Half-width of the 95 % confidence interval of `saved`; none with too few samples.
  std::optional<double> halfWidth;
};
/// Compares steps that used the same random numbers.
StepComparison compare(const MeasuredSteps& now, const MeasuredSteps& with);

} // namespace dpl::diagnosis
