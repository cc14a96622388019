#pragma once
//===- Availability.h - The mean share of a run's nodes that work -----------------------------===//
#include "ir/Plan.h"
#include "support/math/WorkingNodes.h"

namespace dpl::cost {

/// Nodes that fail and are repaired independently, with exponential times.
struct Nodes {
  simulate::WorkingNodes working;
  double spares = 0;  ///< spare nodes; they and other nodes that do not work do not fail
  double failing = 0; ///< 1/s, of all nodes together
  double repair = 0;  ///< s per repair
};

/// The long-run share of time in which the run works, reduced by the share of nodes that do not.
/// Uses the birth-death process of the number of missing nodes.
double availability(const Nodes& nodes);

/// The numbers of nodes on which a run works: all, and those from its least on at which the layout
/// is legal with fewer data ranks or replicas, the same other degrees and the same batches. Memory
/// is not checked. Relies on: a complete mesh.
simulate::WorkingNodes workingNodesOf(const ir::Plan& plan, const ir::Run& run);

} // namespace dpl::cost
