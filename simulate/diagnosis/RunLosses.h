#pragma once
//===- RunLosses.h - What failures and checkpoints take of a run ------------------------------===//
#include "ir/Plan.h"
#include <optional>
#include <string>

namespace dpl::diagnosis {

/// Less of the time of a run, as a share of it.
struct RunSaving {
  double goodput = 1, inTheLongRun = 0; ///< by its figures
  /// Of runs as long as this one, drawn under common random numbers; nothing where it is not drawn.
  std::optional<double> drawn{}, halfWidth{};
  /// What it saves as far as is known: as drawn, where the run is.
  double saved() const { return drawn.value_or(inTheLongRun); }
  /// False where that may be none.
  bool certain() const { return !drawn || *drawn > halfWidth.value_or(0); }
};
/// A run without one of them.
struct RunLoss : RunSaving {
  RunLoss(const char* key, const char* words) : key(key), words(words) {}
  const char* key;   ///< of JSON
  const char* words; ///< of a screen, behind "without"
};
struct RunLosses {
  std::string run;
  double goodput = 1;
  std::vector<RunLoss> losses; ///< of all that the run has
  RunSaving together;          ///< without any of them
  const RunLoss* largest() const;
};

/// Of the run of the plan that loses most; nothing where none loses anything. Relies on: a complete
/// plan.
std::optional<RunLosses> runLossesOf(const ir::Plan& plan, std::uint64_t seed, unsigned threads);

} // namespace dpl::diagnosis
