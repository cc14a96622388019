#pragma once
//===- CheckLaunchTime.h - Time limits of launches against the runs that they start -----------===//
#include "figures/Figures.h"
#include "support/Diagnostics.h"

namespace dpl {

/// A job that the time limit of its scheduler or failures end before it finishes. Times are in
/// seconds.
struct EarlyEnd {
  double duration = 0;      ///< time of the phases with this layout and batch size, with the time
                            ///< that failures cost
  double limit = 0;         ///< time limit of one start
  std::uint64_t starts = 1; ///< number of starts that the scheduler makes by itself
  double each = 0;          ///< mean time of a start, until a failure or the limit ends it
  bool byLimit = false, byFailures = false;
};
/// The early end of a launch; none if the job can finish. `figures` are those of
/// the plan, with the steps of all phases.
std::optional<EarlyEnd> earlyEndOf(const ir::Plan& plan, const ir::Launch& launch,
                                   const figures::Figures& figures);
/// Warns about each launch of the plan whose job ends early.
void checkLaunchTime(const ir::Plan& plan, const figures::Figures& figures,
                     DiagnosticEngine& diags);

} // namespace dpl
