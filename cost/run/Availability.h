#pragma once
//===- Availability.h - The mean share of a run's nodes that work -----------------------------===//

namespace dpl::cost {

/// Nodes that fail and are repaired independently, with exponential times.
struct Nodes {
  double all = 1;     ///< nodes that a run needs
  double spares = 0;  ///< spare nodes, which do not fail
  double least = 0;   ///< fewest nodes with which it continues; `all`: it waits for all
  double failing = 0; ///< 1/s, of all nodes together
  double repair = 0;  ///< s per repair
};

/// The long-run share of time in which the run works, reduced by the share of missing nodes. Uses
/// the birth-death process of the number of missing nodes.
double availability(const Nodes& nodes);

} // namespace dpl::cost
