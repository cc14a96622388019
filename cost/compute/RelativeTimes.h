#pragma once
//===- RelativeTimes.h - Computing times of devices relative to the slowest of their rank -----===//
#include "ir/Plan.h"

namespace dpl::cost {

/// A plan has one computing time for all devices of a pipeline rank: that of the slowest. These are
/// the times of each device divided by it, at most 1. Relies on: chunks with costs.
class RelativeTimes {
public:
  explicit RelativeTimes(const ir::Plan& plan);
  /// Whether any device is faster than the slowest of its rank.
  bool differ() const { return !byRank.empty(); }
  double of(std::uint64_t pipelineRank, std::uint64_t device) const;

private:
  std::vector<std::uint64_t> ends;         ///< by node type, the end of its devices
  std::vector<std::vector<double>> byRank; ///< by pipeline rank and node type; empty if all are 1
};

} // namespace dpl::cost
