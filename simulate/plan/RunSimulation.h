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
/// A run of the plan, prepared for drawing.
struct DrawnRun {
  std::string name;
  std::string notStored; ///< why not all checkpoints go to storage, as a sentence
  simulate::SavedRun saved;
  /// The run, or its variant with repairs and fail-slow devices, or with several checkpoint tiers.
  std::variant<simulate::SavedRun, simulate::EventfulRun, simulate::TieredRun> all;
  std::string refused; ///< why the run cannot be drawn, as a sentence; empty if it can
};
/// How much longer checkpoints take if another run uses the same storage.
struct StorageShare {
  std::string with;
  double alone = 0, shared = 0; ///< seconds of one checkpoint, with the storage alone and with it
                                ///< shared
};
struct RunResult {
  std::string name;
  std::uint64_t seed = 1;
  simulate::SavedRun run;
  double expected = 0;  ///< run time in seconds by the formulas of the figures
  bool longRun = false; ///< whether `expected` assumes the number of missing nodes in the long run
  bool drawn = false;   ///< whether draws differ, because of failures or shared storage
  std::vector<simulate::RunTime> draws;
  std::optional<StorageShare> storage;
};

/// None if the time of the run is not known. Relies on: all figures.
std::optional<DrawnRun> drawnRun(const ir::Plan& plan, const std::string& name);
/// Why two runs cannot share a storage, as a sentence; empty if they can.
std::string whyNotTogether(const DrawnRun& run, const DrawnRun& beside);
/// Why drawing would take too long, as a sentence; empty if it does not. `beside` may be null.
std::string whyTooLong(const DrawnRun& run, const DrawnRun* beside, const RunRequest& request);
/// Draws the run. Relies on: the run can be drawn, and not for too long. With another run, each
/// draw begins at a random time between two checkpoints of that run.
RunResult drawRuns(const ir::Plan& plan, const DrawnRun& run, const DrawnRun* beside,
                   const RunRequest& request);

std::string renderText(const ir::Plan& plan, const RunResult& result);
Json renderJson(const ir::Plan& plan, const RunResult& result);

} // namespace dpl::simulation
