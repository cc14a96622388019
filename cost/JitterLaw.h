#pragma once
//===- JitterLaw.h - How slow the slowest device of a simulated rank is -----------------------===//
#include "ir/Jitter.h"

namespace dpl::cost {

/// The distribution of the largest of the factors of several devices, as values with weights in
/// rising order. Weights get smaller with the share above, down to 10^-12, so that the largest of
/// many draws is resolved as finely as the mean.
struct JitterLaw {
  /// `inNode` devices share a node, and with it the common part of a log-normal number.
  JitterLaw(const ir::Jitter& jitter, double devices, double inNode);

  std::size_t size() const { return values.size(); }
  double mean() const { return first.back(); }
  /// The value that a share of the draws exceeds.
  double exceededBy(double share) const;

  std::vector<double> values, weights;
  bool discrete = false; ///< these are all values that there are
  /// Sums over the values up to each: of the weights, of weight times value, and of weight times
  /// the square of the value.
  std::vector<double> zeroth, first, second;
};

} // namespace dpl::cost
