#pragma once
//===- Statistics.h - What many replications say together ---------------------------------===//
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
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
  /// Several, and the same but for rounding.
  bool alike() const;
  /// The mean lies so far from `mean` at most, in 95 of 100 samples: by Student's t. One value
  /// does not tell, and several that happen to be alike do not either.
  std::optional<double> halfWidth() const;
  /// The smallest value that a share of `fraction` of all does not exceed.
  double quantile(double fraction) const;

private:
  std::vector<double> sorted;
  double average = 0, spread = 0;
};

/// Of consecutive numbers that do not depend on those `apart` before them or more: how many make a
/// mean that hardly depends on the next. It is 1 where none depends on another.
constexpr std::uint64_t batchLength(std::uint64_t apart) { return apart <= 1 ? 1 : 4 * apart; }
/// Means of batches that are as long or longer; one where the numbers are too few for two.
std::vector<double> batchMeans(llvm::ArrayRef<double> values, std::uint64_t apart);

} // namespace dpl::simulate
