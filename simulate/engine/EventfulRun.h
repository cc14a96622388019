#pragma once
//===- EventfulRun.h - A run with node repair and fail-slow devices ---------------------------===//
#include "support/math/SavedRun.h"

namespace dpl::simulate {

/// Times are seconds, rates are per second. All failures have exponential intervals. The run
/// resumes from a checkpoint on other nodes.
struct EventfulRun {
  SavedRun saved; ///< `between` excludes fail-slow devices
  double nodes = 1;
  double spares = 0;        ///< idle spare nodes
  double least = 1;         ///< fewest nodes that continue the run; no pause when a node returns
  double nodeLossShare = 0; ///< share of the failures that remove a node
  double repair = 0;        ///< mean repair time of such a node
  double slow = 0;          ///< rate at which one of all healthy devices becomes slow
  double slowdown = 1;
  double found = 0; ///< time until it is found and its node fails
};

/// Draws one run. The rates of failures scale with the number of remaining nodes.
RunTime draw(const EventfulRun& run, Draws& draws);

} // namespace dpl::simulate
