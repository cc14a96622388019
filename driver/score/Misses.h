#pragma once
//===- Misses.h - Common properties of runs with a wrong verdict ------------------------------===//
#include "driver/score/Statistics.h"

namespace dpl::score {

/// Runs with a common property, without runs that have both marks.
struct AlikeRuns {
  std::string what; ///< "software early", "tensor 2 to 7", "predicted to leave 10 % and more"
  Verdicts verdicts;
};
/// The groups in the order of their property, without groups that have no wrong verdict. Empty if
/// few verdicts are wrong.
std::vector<AlikeRuns> wrongVerdicts(const Scores& scores);

} // namespace dpl::score
