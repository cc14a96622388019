#pragma once
//===- Availability.h - How much of a run's nodes is there ---------------------------------===//

namespace dpl::cost {

/// Nodes that fail one by one and are repaired each by itself, both exponentially.
struct Nodes {
  double all = 1;     ///< that a run needs
  double spares = 0;  ///< that stand by and do not fail
  double least = 0;   ///< with which it goes on where there are fewer; `all`: it waits for all
  double failing = 0; ///< 1/s, of all together
  double repair = 0;  ///< s of one
};

/// The share of the time that work goes on, less that of the nodes that lack: the chain of how many
/// are away (a birth and death process), in the long run.
double availability(const Nodes& nodes);

} // namespace dpl::cost
