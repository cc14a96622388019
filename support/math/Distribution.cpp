//===- Distribution.cpp - Distributions of random time factors --------------------------------===//
#include "support/math/Distribution.h"
#include "support/math/Elementary.h"
#include <algorithm>
#include <cassert>
#include <cmath>

using namespace dpl::simulate;

namespace {
/// A gamma variable of shape at least 1 and scale 1 (Marsaglia and Tsang, A simple method for
/// generating gamma variables, 2000).
double gammaFrom1(double shape, Draws& draws) {
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = draws.normal(), root = 1 + c * x;
    if (root <= 0)
      continue;
    const double v = root * root * root;
    if (logarithm(draws.uniform()) < x * x / 2 + d - d * v + d * logarithm(v))
      return d * v;
  }
}
} // namespace

Distribution Distribution::logNormal(double cv, double share) {
  assert(cv >= 0 && share >= 0 && share <= 1);
  const double square = share * logarithm(1 + cv * cv); // σ² of the logarithm
  return {DistributionKind::LogNormal, -square / 2, std::sqrt(square)};
}

Distribution Distribution::gamma(double cv) {
  assert(cv > 0);
  return {DistributionKind::Gamma, 1 / (cv * cv), 0};
}

Distribution Distribution::exponential(double cv) {
  assert(cv >= 0 && cv <= 1);
  return {DistributionKind::Exponential, 1 - cv, cv};
}

Distribution Distribution::pareto(double shape) {
  assert(shape > 1);
  return {DistributionKind::Pareto, (shape - 1) / shape, shape};
}

Distribution Distribution::rare(double cv, double share, double slowdown) {
  assert(share >= 0 && share <= 1 && slowdown > 0);
  Distribution out = logNormal(cv);
  out.kind = DistributionKind::Rare, out.share = share, out.slowdown = slowdown;
  return out;
}

Distribution Distribution::measured(std::vector<double> times) {
  assert(!times.empty());
  Distribution out(DistributionKind::Measured, 0, 0);
  out.times = std::move(times);
  return out;
}

double Distribution::sample(Draws& draws) const {
  switch (kind) {
  case DistributionKind::LogNormal:
    return simulate::exponential(first + second * draws.normal());
  case DistributionKind::Gamma:
    if (first >= 1)
      return gammaFrom1(first, draws) / first;
    // For a shape below 1, the sample is one of shape + 1, times a power of a uniform number.
    return gammaFrom1(first + 1, draws) *
           simulate::exponential(logarithm(draws.uniform()) / first) / first;
  case DistributionKind::Exponential:
    return first - second * logarithm(draws.uniform());
  case DistributionKind::Pareto:
    return first * simulate::exponential(-logarithm(draws.uniform()) / second);
  case DistributionKind::Rare:
    return simulate::exponential(first + second * draws.normal()) *
           (draws.uniform() < share ? slowdown : 1) / (1 + (slowdown - 1) * share);
  case DistributionKind::Measured:
    return times[std::min(
        static_cast<std::size_t>(draws.uniform() * static_cast<double>(times.size())),
        times.size() - 1)];
  }
  return 1;
}
