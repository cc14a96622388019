#pragma once
//===- BestInterval.h - The best checkpoint interval of drawn runs ----------------------------===//
#include "simulate/plan/RunSimulation.h"

namespace dpl::simulation {

/// Checkpoint intervals, in seconds of work between two checkpoints.
struct BestInterval {
  double drawn = 0;           ///< interval with the shortest drawn runs, under common random
                              ///< numbers
  double least = 0, most = 0; ///< range of intervals whose runs are not significantly longer
  double young = 0, daly = 0; ///< √(2CM), and Daly's higher-order formula; C: cost of a checkpoint,
                              ///< M: MTBF
  double expected = 0; ///< best interval by the formulas of the figures
};

/// Tries intervals with the same seeds. None if the run has no checkpoints or no failures, if it
/// has several checkpoint tiers, or if the trials would take too long.
std::optional<BestInterval> bestInterval(const ir::Plan& plan, const DrawnRun& run,
                                         const RunRequest& request,
                                         llvm::ArrayRef<std::uint64_t> seeds);

std::string renderText(const BestInterval& best);
Json renderJson(const BestInterval& best);

} // namespace dpl::simulation
