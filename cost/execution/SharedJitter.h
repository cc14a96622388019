#pragma once
//===- SharedJitter.h - Columns whose devices share jitter with others of their node ----------===//
//
// With `lognormal { node_correlation = 0.5 }` the devices of a node have half of the variance of
// their jitter factors in common. Ranks of a column and columns that have devices on one node are
// then not independent, and how much they depend on each other depends on the mesh. The mean step
// is estimated from a fixed sequence of random numbers, so that it is the same each time.
#include "cost/compute/RelativeTimes.h"
#include "cost/execution/SlowestReplicaDistribution.h"
#include "ir/Plan.h"

namespace dpl::cost {

/// The devices of a simulated rank that one node holds, and their computing time relative to that
/// of the plan.
struct DevicesOfNode {
  std::size_t node = 0, devices = 0;
  double relative = 1;
};
using NodesOfRank = std::vector<DevicesOfNode>;

/// Columns that share nodes, directly or through other columns. All other columns of the plan are
/// assumed to form such sets of the same shape.
struct ReplicaSet {
  std::size_t nodes = 0; ///< number of nodes, which are numbered from 0
  /// The nodes of each pipeline rank of each column.
  std::vector<std::vector<NodesOfRank>> replicas;
  double sets = 1; ///< number of such sets in the plan
  /// Whether a node holds devices of several simulated ranks.
  bool shares() const;
};
/// The set of the first column, or one set of all columns if devices of a rank differ. `joined`
/// has, for each column, the columns of single devices that it consists of.
ReplicaSet replicaSetOf(const ir::Plan& plan, const std::vector<std::vector<std::uint32_t>>& joined,
                        const RelativeTimes& times);

/// The mean of the slowest column of all sets, ps. `responses` has, for each pipeline rank, the
/// index of its response in `replica.ranks`.
double meanOfSlowest(const SlowestReplicaDistribution& replica,
                     const std::vector<std::size_t>& responses, const ReplicaSet& set,
                     const ir::Jitter& jitter);

} // namespace dpl::cost
