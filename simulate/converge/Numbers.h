#pragma once
//===- Numbers.h - Rounding of values and sums to a number format -----------------------------===//
//
// A value is rounded to the nearest number of a format, ties to even. The computation uses double
// precision, in which scaling by a power of two and rounding to a whole number are exact. The sum
// of two numbers of a format, rounded to double precision and then to the format, is the correctly
// rounded sum, because 53 ≥ 2·24 + 2 bits (Figueroa, When is double rounding innocuous?, SIGNUM
// 1995). So one function serves all formats. Tests compare it bit by bit with two libraries.
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace dpl::converge {

enum class Beyond : std::uint8_t { Infinity, NotANumber, Largest };

/// A binary format, given by the numbers of its exponent and mantissa bits.
struct NumberFormat {
  int exponentBits, mantissaBits;
  double largest;
  Beyond beyond; ///< result for values that round above the largest number

  double smallestNormal() const;
  double round(double value) const;
  /// Whether a value rounds above the largest number.
  bool overflows(double value) const;
  /// The index of a number among all numbers of the format in order; that of zero is 0.
  std::int64_t place(double number) const;

private:
  double nearest(double value) const;
};
/// The formats in the order fp32, fp16, bf16, e4m3, e5m2, e2m1. The last three are OCP formats:
/// e4m3 has no infinity, and e2m1 neither infinity nor NaN.
const NumberFormat& formatAt(std::size_t place);

enum class SumOrder : std::uint8_t { LeftToRight, RightToLeft, Pairwise, Ring };

/// The sum of values in a format, with each partial sum rounded. In the order Ring, the sum begins
/// with value `first`.
double sumOf(llvm::ArrayRef<double> values, const NumberFormat& format, SumOrder order,
             std::size_t first = 0);
/// The sum in double precision, without rounding of partial sums.
double exactSum(llvm::ArrayRef<double> values);

struct StoredShares {
  double belowNormal =
      0; ///< share of the values whose magnitude is below the smallest normal number
  double aboveLargest = 0; ///< share of the values whose magnitude is above the largest number
  double overflow = 0;     ///< share of the values that round above the largest number
};
StoredShares sharesOf(llvm::ArrayRef<double> values, const NumberFormat& format);
/// The same shares for a normal distribution with mean 0, computed with the error function.
StoredShares sharesOfNormal(double deviation, const NumberFormat& format);

/// A dynamic loss scale: a step with an overflow is skipped and halves the scale, and `window`
/// steps without an overflow double it.
struct ScaledSteps {
  std::uint64_t skipped = 0;
  double scale = 1; ///< loss scale after the last step
};
ScaledSteps scaleSteps(llvm::ArrayRef<double> gradients, const NumberFormat& format, double scale,
                       std::uint64_t window, std::uint64_t steps);

} // namespace dpl::converge
