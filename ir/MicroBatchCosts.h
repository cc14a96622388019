#pragma once
//===- MicroBatchCosts.h - Micro-batches that do not compute equally long ---------------------===//
//
// Sequences that were packed into micro-batches of as many tokens differ in what their attention
// computes. A layout says by relative costs how much; on average a micro-batch takes what the model
// says, so that a step computes as much as without them.
#include "support/Number.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <vector>

namespace dpl::ir {

/// Times of a mean micro-batch to those of one.
struct CostRatio {
  std::uint64_t numerator = 1, denominator = 1;
  /// ps, to the nearest; for `time` below 2^60.
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
  MicroBatchCosts() = default; ///< all cost the same
  /// `costs` as Layout::microBatchCosts has them, one behind the other and again from the first on.
  explicit MicroBatchCosts(llvm::ArrayRef<std::uint64_t> costs);

  bool equal() const { return pattern.empty(); }
  /// Kinds of micro-batch, by what they cost; at least one.
  std::size_t kinds() const { return ratios.size(); }
  std::uint32_t kindOf(std::uint64_t microBatch) const {
    return pattern.empty() ? 0 : pattern[microBatch % pattern.size()];
  }
  CostRatio ratio(std::size_t kind) const { return ratios[kind]; }
  CostRatio of(std::uint64_t microBatch) const { return ratios[kindOf(microBatch)]; }
  /// What the cheapest and the dearest cost, over the mean.
  double least() const;
  double most() const;
  /// What micro-batches from `begin` to before `end` cost together, over the mean.
  double sum(std::uint64_t begin, std::uint64_t end) const;

private:
  std::vector<std::uint32_t> pattern; ///< by micro-batch, its kind
  /// Not from a list, which GCC at -O2 takes for uninitialised.
  std::vector<CostRatio> ratios = std::vector<CostRatio>(1);
};

/// The least whole numbers in the ratio of these, which are above 0; none where all are equal.
/// Nothing where one exceeds mostMicroBatchCost.
std::optional<std::vector<std::uint64_t>> wholeRatio(llvm::ArrayRef<Rational> costs);

} // namespace dpl::ir
