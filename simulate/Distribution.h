#pragma once
//===- Distribution.h - How a time varies -------------------------------------------------===//
#include "simulate/Random.h"
#include <vector>

namespace dpl::simulate {

/// Of positive numbers. Samples depend on the draws alone and are the same bits on every machine.
class Distribution {
public:
  static Distribution constant(double value);
  /// By mean and coefficient of variation.
  static Distribution logNormal(double mean, double cv);
  /// Shape k above 0; the mean is shape × scale.
  static Distribution gamma(double shape, double scale);
  /// P(X > x) = (least / x)^shape from `least` on.
  static Distribution pareto(double shape, double least);
  /// One of the parts, with probabilities in proportion to the weights.
  static Distribution mixture(std::vector<Distribution> parts, const std::vector<double>& weights);
  /// One of the values, each as likely.
  static Distribution empirical(std::vector<double> values);

  double sample(Draws& draws) const;
  /// Infinite where a Pareto tail has none.
  double mean() const;
  double variance() const;

private:
  enum class Kind : std::uint8_t { Constant, LogNormal, Gamma, Pareto, Mixture, Empirical };
  Distribution(Kind kind, double first, double second) : kind(kind), a(first), b(second) {}
  static double sampleGamma(double shape, Draws& draws);

  Kind kind;
  double a, b; ///< the value; mean of the logarithm and its deviation; shape and scale or least
  std::vector<Distribution> parts;
  std::vector<double> numbers; ///< the values, or the cumulated weights
};

} // namespace dpl::simulate
