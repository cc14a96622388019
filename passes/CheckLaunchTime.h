#pragma once
//===- CheckLaunchTime.h - Time limits of launches against the runs that they start -----------===//
#include "figures/Figures.h"
#include "support/Diagnostics.h"

namespace dpl {

/// A job that its scheduler ends before it has run its phases; times in seconds.
struct EarlyEnd {
  double takes = 0;         ///< its phases with this layout and batch, with failures
  double limit = 0;         ///< of one start
  std::uint64_t starts = 1; ///< that the scheduler gives it by itself
};
/// Nothing where the job can finish, or has no limit. `figures` are the plan's, with the steps of
/// all phases.
std::optional<EarlyEnd> earlyEndOf(const ir::Plan& plan, const ir::Launch& launch,
                                   const figures::Figures& figures);
/// Warns of each launch of the plan that ends early.
void checkLaunchTime(const ir::Plan& plan, const figures::Figures& figures,
                     DiagnosticEngine& diags);

} // namespace dpl
