#pragma once
//===- Distribution.h - How a time varies -----------------------------------------------------===//
#include "simulate/Random.h"

namespace dpl::simulate {

/// Of positive numbers whose logarithm is normal. Samples depend on the draws alone and are the
/// same bits on every machine.
class LogNormal {
public:
  /// By mean, above 0, and coefficient of variation.
  LogNormal(double mean, double cv);
  double sample(Draws& draws) const;

private:
  double center, deviation; ///< of the logarithm
};

} // namespace dpl::simulate
