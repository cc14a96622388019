//===- FailureTimes.cpp - Random times between the failures of a run --------------------------===//
#include "support/math/FailureTimes.h"
#include "support/math/Elementary.h"
#include <cmath>

using namespace dpl::simulate;

/// Stirling's series at an argument of at least 10, where its error is below 1e-12.
double dpl::simulate::logGamma(double x) {
  constexpr double largeEnough = 10, halfLogOfTwoPi = 0.91893853320467274178;
  double below = 0;
  for (; x < largeEnough; ++x)
    below += logarithm(x);
  const double square = x * x;
  return (x - 0.5) * logarithm(x) - x + halfLogOfTwoPi +
         (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 / square) / square) / square) / x -
         below;
}

/// The mean of a Weibull distribution is its scale times Γ(1 + 1 / shape).
FailureTimes::FailureTimes(double mean, double shape) : expected(mean), exponent(shape) {
  if (!std::isinf(mean))
    scale = shape == 1 ? mean : mean / exponential(logGamma(1 + 1 / shape));
}

double FailureTimes::draw(Draws& draws) const {
  if (std::isinf(scale))
    return scale;
  const double time = -logarithm(draws.uniform());
  return scale * (exponent == 1 ? time : exponential(logarithm(time) / exponent));
}

double FailureTimes::survival(double time) const {
  if (std::isinf(scale) || time <= 0)
    return 1;
  const double of = time / scale;
  return exponential(-(exponent == 1 ? of : exponential(logarithm(of) * exponent)));
}
