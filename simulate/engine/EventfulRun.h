#pragma once
//===- EventfulRun.h - A run with node repair and fail-slow devices ---------------------------===//
#include "support/math/SavedRun.h"
#include "support/math/WorkingNodes.h"

namespace dpl::simulate {

/// A run with repair of nodes and fail-slow devices. Times are seconds, rates are per second. All
/// failures have exponential intervals. After a failure the run resumes from a checkpoint on other
/// nodes.
struct EventfulRun {
  SavedRun saved; ///< the run without these events; its `between` excludes fail-slow devices
  /// The numbers of nodes on which the run continues; it does not pause when a node returns.
  WorkingNodes working{{1}};
  double spares = 0;        ///< number of idle spare nodes
  double nodeLossShare = 0; ///< share of the failures that remove a node
  double repair = 0;        ///< mean repair time of a removed node
  double slow = 0;          ///< rate at which any one of the devices becomes slow
  double slowdown = 1;
  double found = 0; ///< time until a slow device is found and its node counts as failed
};

/// Draws one run. Failure rates are proportional to the number of nodes that work.
RunTime draw(const EventfulRun& run, Draws& draws);

} // namespace dpl::simulate
