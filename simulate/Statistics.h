#pragma once
//===- Statistics.h - What many replications say together ---------------------------------===//
#include <cstdint>
#include <vector>

namespace dpl::simulate {

/// Of numbers that do not depend on one another; at least one.
class Sample {
public:
  explicit Sample(std::vector<double> values);
  std::size_t size() const { return sorted.size(); }
  double mean() const { return average; }
  /// Of a single one, from n − 1; 0 for one value.
  double deviation() const { return spread; }
  double standardError() const;
  /// The mean lies so far from `mean` at most, in 95 of 100 samples: by Student's t.
  double halfWidth() const;
  /// The smallest value that a share of `fraction` of all does not exceed.
  double quantile(double fraction) const;

private:
  std::vector<double> sorted;
  double average = 0, spread = 0;
};

} // namespace dpl::simulate
