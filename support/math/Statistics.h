#pragma once
//===- Statistics.h - Statistics of replications ----------------------------------------------===//
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace dpl::simulate {

/// One or more independent values, with their statistics.
class Sample {
public:
  explicit Sample(std::vector<double> values);
  std::size_t size() const { return sorted.size(); }
  double mean() const { return average; }
  /// The standard deviation, computed with n − 1; 0 for one value.
  double deviation() const { return spread; }
  double standardError() const;
  /// Whether several values are equal except for rounding.
  bool alike() const;
  /// Half-width of the 95 % confidence interval of the mean, by Student's t. None for one value or
  /// if all values are alike.
  std::optional<double> halfWidth() const;
  /// The smallest value of the sample that is not exceeded by a share `fraction` of the values.
  double quantile(double fraction) const;

private:
  std::vector<double> sorted;
  double average = 0, spread = 0;
};

/// The number of values in a batch for which means of batches are almost independent, for values
/// that are independent at a distance of `apart`. It is 1 for independent values.
constexpr std::uint64_t batchLength(std::uint64_t apart) { return apart <= 1 ? 1 : 4 * apart; }
/// The means of batches of at least batchLength(apart) values; one mean if there are too few values
/// for two.
std::vector<double> batchMeans(llvm::ArrayRef<double> values, std::uint64_t apart);

} // namespace dpl::simulate
