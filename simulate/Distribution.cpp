//===- Distribution.cpp - How a time varies ---------------------------------------------------===//
#include "simulate/Distribution.h"
#include "simulate/Elementary.h"
#include <cassert>
#include <cmath>

using namespace dpl::simulate;

LogNormal::LogNormal(double mean, double cv) {
  assert(mean > 0 && cv >= 0);
  const double square = logarithm(1 + cv * cv); // σ² of the logarithm
  center = logarithm(mean) - square / 2;
  deviation = std::sqrt(square);
}

double LogNormal::sample(Draws& draws) const {
  return exponential(center + deviation * draws.normal());
}
