#pragma once
//===- RunLosses.h - Losses of a run by failures and checkpoints ------------------------------===//
#include "ir/Plan.h"
#include <optional>
#include <string>

namespace dpl::diagnosis {

/// The savings of a run without one or all causes of losses, as a share of its time.
struct RunSaving {
  /// Goodput without the causes, and the savings, by the formulas of the figures.
  double goodput = 1, inTheLongRun = 0;
  /// Savings of runs drawn with common random numbers; none if runs cannot be drawn.
  std::optional<double> drawn{}, halfWidth{};
  /// The best estimate: drawn if known, otherwise that of the formulas.
  double saved() const { return drawn.value_or(inTheLongRun); }
  /// Whether the savings are larger than their confidence interval.
  bool certain() const { return !drawn || *drawn > halfWidth.value_or(0); }
};
/// A run without one cause of losses.
struct RunLoss : RunSaving {
  RunLoss(const char* key, const char* words) : key(key), words(words) {}
  const char* key;   ///< key in JSON
  const char* words; ///< words on the screen, after "without"
};
struct RunLosses {
  std::string run;
  double goodput = 1;
  std::vector<RunLoss> losses; ///< causes that the run has
  RunSaving together;          ///< savings without any of them
  const RunLoss* largest() const;
};

/// Losses of the plan's run that loses most; none if no run loses anything. Relies on: a complete
/// plan.
std::optional<RunLosses> runLossesOf(const ir::Plan& plan, std::uint64_t seed, unsigned threads);

} // namespace dpl::diagnosis
