#pragma once
//===- EventfulRun.h - A run whose nodes are away, and whose devices get slow -----------------===//
#include "support/math/SavedRun.h"

namespace dpl::simulate {

/// Seconds, and rates of one a second. All that fails does so exponentially; a run goes on from
/// where it was saved, on other nodes.
struct EventfulRun {
  SavedRun saved; ///< `between` without devices that get slow
  double nodes = 1;
  double spares = 0; ///< that stand by
  double least = 1;  ///< with which it goes on, at their rate and without a pause when one is back
  double nodeLossShare = 0; ///< share of the failures that take a node away
  double repair = 0;        ///< of such a node, on average
  double slow = 0;          ///< rate at which one device of all gets slow, of those that are not
  double slowdown = 1;
  double found = 0; ///< until it is found, and has failed with its node
};

/// Draws one. With fewer nodes fewer of them fail or get slow.
RunTime draw(const EventfulRun& run, Draws& draws);

} // namespace dpl::simulate
