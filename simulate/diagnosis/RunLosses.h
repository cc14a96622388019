#pragma once
//===- RunLosses.h - Losses of a run by failures and checkpoints ------------------------------===//
#include "ir/Plan.h"
#include <optional>
#include <string>

namespace dpl::diagnosis {

/// The time that a run saves without one or all causes of losses, as a share of its time.
struct RunSaving {
  /// Goodput without the causes, and the savings, both by the formulas of the figures.
  double goodput = 1, inTheLongRun = 0;
  /// Savings by drawn runs with common random numbers, and their confidence interval; none if runs
  /// cannot be drawn.
  std::optional<double> drawn{}, halfWidth{};
  /// The best estimate of the savings: drawn if known, otherwise by the formulas.
  double saved() const { return drawn.value_or(inTheLongRun); }
  /// Whether the savings are larger than the half-width of their confidence interval.
  bool certain() const { return !drawn || *drawn > halfWidth.value_or(0); }
};
/// A run without one cause of losses.
struct RunLoss : RunSaving {
  RunLoss(const char* key, const char* words) : key(key), words(words) {}
  const char* key;   ///< key of the cause in JSON
  const char* words; ///< words for the cause on the screen, after "without"
};
struct RunLosses {
  std::string run;
  double goodput = 1;
  std::vector<RunLoss> losses; ///< causes that the run has
  RunSaving together;          ///< savings if all causes are removed at once
  const RunLoss* largest() const;
};

/// The losses of the run that loses most, among the runs of the plan; none if no run loses time.
/// Relies on: a complete plan.
std::optional<RunLosses> runLossesOf(const ir::Plan& plan, std::uint64_t seed, unsigned threads);

} // namespace dpl::diagnosis
