#pragma once
//===- FailureTimes.h - Random times between the failures of a run ----------------------------===//
#include "support/math/Random.h"
#include <limits>

namespace dpl::simulate {

/// Times between failures: independent, with a Weibull distribution of this mean and shape. A shape
/// of 1 is exponential; with less, a failure soon after a failure is likelier. Schroeder and Gibson
/// (A large-scale study of failures in high-performance computing systems, DSN 2006) fit 0.7 to
/// 0.8.
class FailureTimes {
public:
  /// An infinite mean: no failures.
  explicit FailureTimes(double mean, double shape = 1);
  double draw(Draws& draws) const;
  /// The probability that a time is longer.
  double survival(double time) const;
  double mean() const { return expected; }
  double shape() const { return exponent; }

private:
  double expected, exponent;
  double scale = std::numeric_limits<double>::infinity();
};

/// The natural logarithm of the gamma function of x > 0, bit-identical on all machines.
double logGamma(double x);

} // namespace dpl::simulate
