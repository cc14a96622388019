#pragma once
//===- SlowestDeviceDistribution.h - Distribution of the slowest of several devices -----------===//
#include "ir/Jitter.h"

namespace dpl::cost {

/// Devices whose times are `relative` times their jitter factor.
struct RelativeDevices {
  double relative = 1, devices = 1;
};

/// The distribution of the largest jitter factor among several devices: values in rising order,
/// each with its probability as its weight. The share of draws above a value goes down to 10^-12,
/// so that the maximum of many draws is resolved as finely as the mean.
struct SlowestDeviceDistribution {
  /// `inNode` devices share a node, and with it the common part of a log-normal factor.
  SlowestDeviceDistribution(const ir::Jitter& jitter, double devices, double inNode)
      : SlowestDeviceDistribution(jitter, {{1, devices}}, inNode) {}
  /// All devices of a node have the same relative time.
  SlowestDeviceDistribution(const ir::Jitter& jitter, const std::vector<RelativeDevices>& all,
                            double inNode);

  std::size_t size() const { return values.size(); }
  double mean() const { return first.back(); }
  /// The value that a share of the draws exceeds.
  double exceededBy(double share) const;

  std::vector<double> values, weights;
  bool discrete = false; ///< the factor has no other values
  /// Sums over the values up to each one: of the weights, of weight × value, of weight × value².
  std::vector<double> zeroth, first, second;
};

} // namespace dpl::cost
