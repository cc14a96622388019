#pragma once
//===- Misses.h - What runs with a wrong verdict have in common -------------------------------===//
#include "driver/score/Statistics.h"

namespace dpl::score {

/// Runs that are alike in one thing, those with marks of both left out.
struct AlikeRuns {
  std::string what; ///< "software early", "tensor 2 to 7", "said to leave 10 % and more"
  Verdicts verdicts;
};
/// In the order of what they are alike in; none where few verdicts are wrong. Groups without a
/// wrong one are left out.
std::vector<AlikeRuns> wrongVerdicts(const Scores& scores);

} // namespace dpl::score
