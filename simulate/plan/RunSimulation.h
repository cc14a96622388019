#pragma once
//===- RunSimulation.h - Runs drawn many times, with each failure -----------------------------===//
#include "ir/Plan.h"
#include "simulate/engine/EventfulRun.h"
#include "simulate/engine/TieredRun.h"
#include "support/Json.h"
#include <optional>
#include <variant>
#include <vector>

namespace dpl::simulation {

struct RunRequest {
  std::uint64_t draws = 1000, seed = 1;
  unsigned threads = 0; ///< 0: all cores; does not change the results
};
/// A run of the plan and its random processes.
struct DrawnRun {
  std::string name;
  std::string notStored; ///< why checkpoints do not all go to storage, as a sentence
  simulate::SavedRun saved;
  /// The run; with repairs and fail-slow devices, or with several tiers, that variant.
  std::variant<simulate::SavedRun, simulate::EventfulRun, simulate::TieredRun> all;
  std::string refused; ///< why it cannot be drawn, as a sentence; empty if it can
};
/// The slowdown of checkpoints by another run on the same storage.
struct StorageShare {
  std::string with;
  double alone = 0, shared = 0; ///< seconds of one checkpoint
};
struct RunResult {
  std::string name;
  std::uint64_t seed = 1;
  simulate::SavedRun run;
  double expected = 0;  ///< seconds, by the formulas of the figures
  bool longRun = false; ///< whether `expected` assumes the long-run number of missing nodes
  bool drawn = false;   ///< whether the run has failures or shared storage
  std::vector<simulate::RunTime> draws;
  std::optional<StorageShare> storage;
};

/// None if the run's time is not known. Relies on: all figures.
std::optional<DrawnRun> drawnRun(const ir::Plan& plan, const std::string& name);
/// Why the two runs cannot share a storage, as a sentence; empty if they can.
std::string whyNotTogether(const DrawnRun& run, const DrawnRun& beside);
/// Why drawing would take too long; empty if it does not. `beside` may be null.
std::string whyTooLong(const DrawnRun& run, const DrawnRun* beside, const RunRequest& request);
/// Relies on: no reason against drawing. With another run, each draw begins at a random time
/// between two checkpoints of that run.
RunResult drawRuns(const ir::Plan& plan, const DrawnRun& run, const DrawnRun* beside,
                   const RunRequest& request);

std::string renderText(const ir::Plan& plan, const RunResult& result);
Json renderJson(const ir::Plan& plan, const RunResult& result);

} // namespace dpl::simulation
