#pragma once
//===- RunSimulation.h - A run drawn many times, failure by failure -----------------------===//
#include "ir/Plan.h"
#include "simulate/EventfulRun.h"
#include "simulate/TieredRun.h"
#include "support/Json.h"
#include <optional>
#include <vector>

namespace dpl::simulation {

struct RunRequest {
  std::uint64_t draws = 1000, seed = 1;
  unsigned threads = 0; ///< 0: all cores; changes nothing but how long it takes
};
struct RunResult {
  std::string name;
  std::uint64_t seed = 1;
  simulate::SavedRun run;
  double expected = 0; ///< seconds, as the figures have it
  std::vector<simulate::RunTime> draws;
};

/// What a run of the plan comes to; nothing where its time is not known. Relies on: all figures.
std::optional<simulate::SavedRun> savedRun(const ir::Plan& plan, const std::string& run);
/// The same with what its cluster says of nodes that are repaired and devices that get slow. Relies
/// on: it does.
simulate::EventfulRun eventfulRun(const ir::Plan& plan, const std::string& run,
                                  const simulate::SavedRun& saved);
/// The same with checkpoints in several tiers.
simulate::TieredRun tieredRun(const ir::Plan& plan, const ir::CheckpointTiers& tiers,
                              const simulate::SavedRun& saved);
/// Why not, as a sentence; empty for a run that is drawn.
std::string whyNotDrawn(const ir::Plan& plan, const std::string& run);
/// Why it would take too long; empty where it does not.
std::string whyTooLong(const simulate::SavedRun& run, const RunRequest& request);
RunResult drawRuns(const ir::Plan& plan, const std::string& run, const simulate::SavedRun& saved,
                   const RunRequest& request);

std::string renderText(const ir::Plan& plan, const RunResult& result);
Json renderJson(const ir::Plan& plan, const RunResult& result);

} // namespace dpl::simulation
