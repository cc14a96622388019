#pragma once
//===- MicroBatchCosts.h - Micro-batches with different costs ---------------------------------===//
//
// Packed sequences give micro-batches with equal numbers of tokens but different attention costs. A
// layout sets relative costs. The mean micro-batch has the cost of the model, so that a step
// computes the same amount.
#include "support/Number.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <vector>

namespace dpl::ir {

/// Factor from the time of a mean micro-batch to that of another one.
struct CostRatio {
  std::uint64_t numerator = 1, denominator = 1;
  /// The scaled time in ps, rounded to nearest; `time` must be below 2^60.
  std::uint64_t of(std::uint64_t time) const {
    if (numerator == denominator)
      return time;
    using Int = Rational::Int;
    return static_cast<std::uint64_t>((Int(time) * Int(numerator) + denominator / 2) /
                                      Int(denominator));
  }
  bool operator==(const CostRatio&) const = default;
};

class MicroBatchCosts {
public:
  MicroBatchCosts() = default; ///< all costs are equal
  /// `costs` as in Layout::microBatchCosts; they repeat from the first one.
  explicit MicroBatchCosts(llvm::ArrayRef<std::uint64_t> costs);

  bool equal() const { return pattern.empty(); }
  /// Number of different costs; at least one.
  std::size_t kinds() const { return ratios.size(); }
  std::uint32_t kindOf(std::uint64_t microBatch) const {
    return pattern.empty() ? 0 : pattern[microBatch % pattern.size()];
  }
  CostRatio ratio(std::size_t kind) const { return ratios[kind]; }
  CostRatio of(std::uint64_t microBatch) const { return ratios[kindOf(microBatch)]; }
  /// Cost of the cheapest and of the most expensive micro-batch, divided by the mean.
  double least() const;
  double most() const;
  /// Sum of the costs of micro-batches in [begin, end), divided by the mean.
  double sum(std::uint64_t begin, std::uint64_t end) const;

private:
  std::vector<std::uint32_t> pattern; ///< cost index by micro-batch
  /// Not an initializer list, which GCC at -O2 considers uninitialized.
  std::vector<CostRatio> ratios = std::vector<CostRatio>(1);
};

/// The smallest whole numbers in the ratio of `costs`, which are above 0; empty if all are equal.
/// Returns nothing if one exceeds mostMicroBatchCost.
std::optional<std::vector<std::uint64_t>> wholeRatio(llvm::ArrayRef<Rational> costs);

} // namespace dpl::ir
