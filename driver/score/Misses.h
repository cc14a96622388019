#pragma once
//===- Misses.h - Common properties of runs with a wrong verdict ------------------------------===//
#include "driver/score/Statistics.h"

namespace dpl::score {

/// Runs with a common property. Runs that both ran and were out of memory are left out.
struct AlikeRuns {
  std::string what; ///< the property: "software early", "tensor 2 to 7", "predicted to leave 10 %
                    ///< and more"
  Verdicts verdicts;
};
/// The groups in the order of their property. Groups without a wrong verdict are left out. Empty if
/// only few verdicts are wrong.
std::vector<AlikeRuns> wrongVerdicts(const Scores& scores);

} // namespace dpl::score
