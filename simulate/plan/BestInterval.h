#pragma once
//===- BestInterval.h - The best checkpoint interval of drawn runs ----------------------------===//
#include "simulate/plan/RunSimulation.h"

namespace dpl::simulation {

/// Checkpoint intervals, in seconds of work between two checkpoints.
struct BestInterval {
  double drawn = 0; ///< interval with the shortest drawn runs, under common random
                    ///< numbers
  /// The nearest shorter and longer intervals that were tried and whose runs are significantly
  /// longer; the shortest or longest tried if there is none.
  double least = 0, most = 0;
  std::uint64_t draws = 0;    ///< runs drawn for each interval and seed
  double young = 0, daly = 0; ///< √(2CM), and Daly's higher-order formula; C: cost of a checkpoint,
                              ///< M: MTBF
  double expected = 0; ///< best interval by the formulas of the figures
};

struct IntervalSearch {
  std::optional<BestInterval> best;
  std::string whyNot; ///< why the intervals were not tried, as words; empty if nothing is to try
};

/// Tries intervals with the same seeds, each with at most 200 runs of a seed, and fewer if those
/// would take too long. There is nothing to try if the run has no checkpoints or no failures.
IntervalSearch bestInterval(const ir::Plan& plan, const DrawnRun& run, const RunRequest& request,
                            llvm::ArrayRef<std::uint64_t> seeds);

/// `draws`: the runs that the screen shows.
std::string renderText(const IntervalSearch& search, std::uint64_t draws);
Json renderJson(const BestInterval& best);

} // namespace dpl::simulation
