#pragma once
//===- Distribution.h - Distributions of random time factors ----------------------------------===//
#include "support/math/Random.h"
#include <vector>

namespace dpl::simulate {

/// A distribution of positive numbers with mean 1. Samples depend only on the draws, and are
/// bit-identical on all machines.
class Distribution {
public:
  /// A log-normal distribution with this coefficient of variation. `share` is the part of the
  /// variance that this factor has, if a time has several random factors.
  static Distribution logNormal(double cv, double share = 1);
  static Distribution gamma(double cv);
  /// The sum of the constant 1 − cv and an exponentially distributed part with mean cv, which is at
  /// most 1.
  static Distribution exponential(double cv);
  /// A Pareto distribution: P(X > x) is proportional to x^−shape. The shape must be above 1.
  static Distribution pareto(double shape);

  /// A log-normal distribution in which a share of the samples is `slowdown` times as long.
  static Distribution rare(double cv, double share, double slowdown);
  /// A distribution that draws one of these measured times, whose mean is 1.
  static Distribution measured(std::vector<double> times);

  double sample(Draws& draws) const;

private:
  enum class DistributionKind { LogNormal, Gamma, Exponential, Pareto, Rare, Measured };
  Distribution(DistributionKind kind, double first, double second)
      : kind(kind), first(first), second(second) {}
  DistributionKind kind;
  /// Parameters by kind: mean and deviation of the logarithm; shape; fixed and varying part;
  /// minimum and shape.
  double first, second;
  double share = 0, slowdown = 1;
  std::vector<double> times;
};

} // namespace dpl::simulate
