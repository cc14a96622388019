#pragma once
//===- RunSimulation.h - A run drawn many times, failure by failure -----------------------===//
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
  unsigned threads = 0; ///< 0: all cores; changes nothing but how long it takes
};
/// A run of the plan and all that is drawn of it.
struct DrawnRun {
  std::string name;
  std::string notStored; ///< why not each checkpoint goes to storage, as a sentence
  simulate::SavedRun saved;
  /// The same, with nodes that are repaired and devices that get slow, or with several tiers.
  std::variant<simulate::SavedRun, simulate::EventfulRun, simulate::TieredRun> all;
  std::string refused; ///< why not, as a sentence; empty for a run that is drawn
};
/// A run that writes to the same storage, and what that does to checkpoints.
struct StorageShare {
  std::string with;
  double alone = 0, shared = 0; ///< seconds that one takes
};
struct RunResult {
  std::string name;
  std::uint64_t seed = 1;
  simulate::SavedRun run;
  double expected = 0;  ///< seconds, as the figures have it
  bool longRun = false; ///< that has as many nodes away as in the long run
  bool drawn = false;   ///< something fails, or is written beside another run
  std::vector<simulate::RunTime> draws;
  std::optional<StorageShare> storage;
};

/// Nothing where its time is not known. Relies on: all figures.
std::optional<DrawnRun> drawnRun(const ir::Plan& plan, const std::string& name);
/// Why the two are not drawn on one storage, as a sentence; empty where they are.
std::string whyNotTogether(const DrawnRun& run, const DrawnRun& beside);
/// Why it would take too long; empty where it does not. `beside` may be null.
std::string whyTooLong(const DrawnRun& run, const DrawnRun* beside, const RunRequest& request);
/// Relies on: nothing speaks against it. Beside another each draw begins anywhere from one
/// checkpoint of that to the next.
RunResult drawRuns(const ir::Plan& plan, const DrawnRun& run, const DrawnRun* beside,
                   const RunRequest& request);

std::string renderText(const ir::Plan& plan, const RunResult& result);
Json renderJson(const ir::Plan& plan, const RunResult& result);

} // namespace dpl::simulation
