#pragma once
//===- StepComponents.h - The parts of a step, and why it takes longer than its arithmetic
//-----===//
#include "figures/Figures.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace dpl::report {

/// One part of the step. Its order is that in which the parts add up.
struct StepComponent {
  const char* path;  ///< the figure
  const char* label; ///< "pipeline bubble"
  const char* axis;  ///< of exposed communication; else empty
  /// What is lost to it: "pipeline bubble: 8 stages x 2 chunks, 64 micro-batches".
  std::string (*reason)(const ir::Plan& plan, const StepComponent& part);
};
llvm::ArrayRef<StepComponent> stepComponents();

/// What a part costs beyond `time.ideal`. Together with it the losses make up the step.
struct StepLoss {
  std::string path; ///< the figure that says it
  std::string reason;
  double seconds = 0;
  double share = 0; ///< of the step
};

/// Largest first, equal ones in the order of the step; none below a thousandth of the step. Empty
/// when the plan has no step time.
std::vector<StepLoss> losses(const ir::Plan& plan, const figures::Figures& figures);

/// Below this share launch-bound time has no place on a screen of steps.
constexpr double leastShareOfLaunches = 1e-3;
/// The fields that decide the launch-bound time. `cuda_graphs` is among them if the framework of
/// the plan can capture graphs.
std::string fieldsOfLaunches(const ir::Plan& plan);
/// "launch-bound: 73.6ms (2.29%) of the step, on rank 1, inside its passes", of the rank with the
/// most of it; empty below a thousandth of the step.
std::string launchBoundText(const ir::Plan& plan);

} // namespace dpl::report
