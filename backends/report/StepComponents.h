#pragma once
//===- StepComponents.h - The components of the step time -------------------------------------===//
#include "figures/Figures.h"
#include <string>
#include <vector>

namespace dpl::report {

/// A row of the table of the step. The rows that are not details add up to the step time. No row is
/// negative.
struct StepRow {
  std::string label; ///< name of the component: "pipeline bubble"
  std::string path;  ///< path of the figure
  double seconds = 0;
  /// Whether the row is a detail of exposed communication: what the step saves without the
  /// communication of one axis.
  bool detail = false;
};
/// The rows in the order of the step. Rows that would show 0.00% are left out.
std::vector<StepRow> stepRows(const figures::Figures& figures);

/// The time by which one component makes the step longer than `time.ideal`. `time.ideal` and all
/// losses add up to the step time.
struct StepLoss {
  std::string path;   ///< path of the figure
  std::string reason; ///< reason for the loss: "recomputation: full, uniform, 1 layer"
  double seconds = 0;
  double share = 0; ///< share of the step time
};

/// The losses, largest first; equal ones in the order of the step. Losses below a thousandth of the
/// step are left out. Empty if the plan has no step time.
std::vector<StepLoss> losses(const ir::Plan& plan, const figures::Figures& figures);

/// The three losses of the step that a change alters most, largest first: "1.7s less exposed
/// communication (tensor), 41ms more pipeline bubble". Empty if each changes by less than a
/// thousandth of the step.
std::string changedLosses(const ir::Plan& before, const ir::Plan& after);

/// The smallest share of the step time for which a loss is shown.
constexpr double leastShareOfLosses = 1e-3;
/// The fields that affect launch-bound time. `cuda_graphs` is one of them if the plan's framework
/// can capture graphs.
std::string fieldsOfLaunches(const ir::Plan& plan);
/// The launch-bound time of the rank that has most: "launch-bound: 73.6ms (2.29%) of the step, on
/// rank 1, inside the passes". Empty if it is below a thousandth of the step.
std::string launchBoundText(const ir::Plan& plan);

} // namespace dpl::report
