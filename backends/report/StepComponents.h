#pragma once
//===- StepComponents.h - Where the time of a step goes ---------------------------------------===//
#include "figures/Figures.h"
#include <string>
#include <vector>

namespace dpl::report {

/// A row of the table of a step. The rows that are not details add up to the step. No row is
/// negative.
struct StepRow {
  std::string label; ///< "pipeline bubble"
  std::string path;  ///< the figure
  double seconds = 0;
  /// An axis of the exposed communication in the row above: what the step would save without it.
  bool detail = false;
};
/// In the order of the step, without rows that would read 0.00%.
std::vector<StepRow> stepRows(const figures::Figures& figures);

/// What a part costs beyond `time.ideal`. Together with it the losses make up the step.
struct StepLoss {
  std::string path;   ///< the figure that says it
  std::string reason; ///< "recomputation: full, uniform, 1 layer"
  double seconds = 0;
  double share = 0; ///< of the step
};

/// Largest first, equal ones in the order of the step; none below a thousandth of the step. Empty
/// when the plan has no step time.
std::vector<StepLoss> losses(const ir::Plan& plan, const figures::Figures& figures);

/// Losses below this share of the step are not shown.
constexpr double leastShareOfLosses = 1e-3;
/// The fields that decide the launch-bound time. `cuda_graphs` is among them if the framework of
/// the plan can capture graphs.
std::string fieldsOfLaunches(const ir::Plan& plan);
/// "launch-bound: 73.6ms (2.29%) of the step, on rank 1, inside its passes", of the rank with the
/// most of it; empty below a thousandth of the step.
std::string launchBoundText(const ir::Plan& plan);

} // namespace dpl::report
