#pragma once
//===- RunLosses.h - What failures and checkpoints take of a run ------------------------------===//
#include "ir/Plan.h"
#include <optional>
#include <string>

namespace dpl::diagnosis {

/// A run without one of them. Shares are of its time.
struct RunLoss {
  const char* key;   ///< of JSON
  const char* words; ///< of a screen, behind "without"
  double goodput = 0, saved = 0;
  /// As drawn under common random numbers; nothing where the run is not drawn.
  std::optional<double> drawn{}, halfWidth{};
};
struct RunLosses {
  std::string run;
  double goodput = 1;
  std::vector<RunLoss> losses; ///< of all that the run has
  /// What nothing of them would save.
  double saved() const { return 1 - goodput; }
  const RunLoss* largest() const;
};

/// Of the run of the plan that loses most; nothing where none loses anything. Relies on: a complete
/// plan.
std::optional<RunLosses> runLossesOf(const ir::Plan& plan, std::uint64_t seed, unsigned threads);

} // namespace dpl::diagnosis
