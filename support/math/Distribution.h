#pragma once
//===- Distribution.h - How a time varies -----------------------------------------------------===//
#include "support/math/Random.h"
#include <vector>

namespace dpl::simulate {

/// Of positive numbers with mean 1. Samples depend on the draws alone and are the same bits on
/// every machine.
class Distribution {
public:
  /// By the coefficient of variation: the logarithm is normal. With a share of its variance, the
  /// factor of that part.
  static Distribution logNormal(double cv, double share = 1);
  static Distribution gamma(double cv);
  /// 1 − cv and an exponential part of mean cv, at most 1.
  static Distribution exponential(double cv);
  /// The share above x falls with x^−shape, above 1.
  static Distribution pareto(double shape);

  /// Log-normal, and of this share so many times as long.
  static Distribution rare(double cv, double share, double slowdown);
  /// One of these, which have a mean of 1.
  static Distribution measured(std::vector<double> times);

  double sample(Draws& draws) const;

private:
  enum class DistributionKind { LogNormal, Gamma, Exponential, Pareto, Rare, Measured };
  Distribution(DistributionKind kind, double first, double second)
      : kind(kind), first(first), second(second) {}
  DistributionKind kind;
  /// Centre and deviation of the logarithm; shape and nothing; fixed and varying part; least and
  /// shape.
  double first, second;
  double share = 0, slowdown = 1;
  std::vector<double> times;
};

} // namespace dpl::simulate
