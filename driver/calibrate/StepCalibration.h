#pragma once
//===- StepCalibration.h - A machine and a framework from measured steps ----------------------===//
#include "driver/calibrate/CalibrationText.h"
#include "driver/calibrate/StepFit.h"
#include "driver/calibrate/StepRuns.h"

namespace dpl::score {

/// The standard deviation of the logarithm of a step time that the model leaves after calibration.
constexpr double noiseOfSteps = 0.03;

/// Bytes of a device outside the allocator, from runs whose whole memory was read.
struct FittedMemory {
  double was = 0, is = 0, low = 0, high = 0;
};

/// The predictions of one run, in seconds; NaN if there are none.
struct JudgedRun {
  std::string name;
  double measured = 0, before = 0, after = 0;
  double heldOut = 0; ///< fitted to the other runs; NaN with fewer than three
};

struct StepCalibration {
  std::vector<FittedStepFact> facts;
  std::vector<JudgedRun> runs;
  std::vector<TimedPart> parts; ///< parts of the step in traces
  std::vector<double> partsBefore, partsAfter;
  std::optional<FittedMemory> memory;
};

/// A trace, and the plan that it ran.
struct TracedRun {
  std::string name;
  ir::Plan plan; ///< which no pass has completed yet
  compare::Comparison found;
  std::uint64_t pipelineRank = 0;
};

/// Fits what step times depend on, with links as they are if logs determine them. Fails after a
/// report if a plan has no step time, or if no healthy machine explains the runs.
FailureOr<StepCalibration> calibrateSteps(const StepRuns& runs, llvm::ArrayRef<TracedRun> traces,
                                          bool linksKnown, DiagnosticEngine& diags);

/// The comment before the cluster's block.
std::string headOf(const StepCalibration& found, const CalibrationOf& of);
/// Lines of the cluster's block: what the runs have in common, and what was fitted.
std::string clusterLines(const StepCalibration& found, const StepRuns& runs);
/// The layout with what the framework does; empty if the runs do not state it.
std::string frameworkOf(const StepRuns& runs, const std::string& name);
std::string screenOf(const StepCalibration& found, unsigned width);
/// The calibration as JSON, "dplc.calibrate.1" (docs/guide/calibrate.md); null for what was not
/// fitted.
Json jsonOf(const Calibration* links, const StepCalibration* steps, const CalibrationOf& of);

} // namespace dpl::score
