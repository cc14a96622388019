#pragma once
//===- BestInterval.h - After how much work drawn runs are best saved -------------------------===//
#include "simulate/plan/RunSimulation.h"

namespace dpl::simulation {

/// Seconds of work between two checkpoints.
struct BestInterval {
  double drawn = 0;           ///< with which the runs end soonest, under the same random numbers
  double least = 0, most = 0; ///< with which they end no later, as far as they tell
  double young = 0, daly = 0; ///< √(2CM), and Daly's higher order
  double expected = 0;        ///< with which the figures have it end soonest
};

/// Of draws of each seed together. Nothing where the run is not saved or nothing fails, where
/// checkpoints go to several tiers, or where the intervals that are tried would take too long.
std::optional<BestInterval> bestInterval(const ir::Plan& plan, const DrawnRun& run,
                                         const RunRequest& request,
                                         llvm::ArrayRef<std::uint64_t> seeds);

std::string renderText(const BestInterval& best);
Json renderJson(const BestInterval& best);

} // namespace dpl::simulation
