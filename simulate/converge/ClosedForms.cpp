//===- ClosedForms.cpp - Stability, noise floor and drift of SGD on a quadratic ---------------===//
#include "simulate/converge/ClosedForms.h"
#include "simulate/converge/Descent.h"
#include <algorithm>
#include <cmath>

using namespace dpl::converge;

// The polynomial has a root r = e^(iθ) on the unit circle if x = −r^(s−1)·(r − 1)·(r − β) is real
// and positive, so if the argument of x, (s − 1)·θ + (π + θ)/2 + arg(r − β), is π. The argument
// starts at π/2 and grows with θ, as does |x|, so the first solution gives the limit. Without
// staleness it is θ = π.
double dpl::converge::stabilityLimit(double momentum, std::uint64_t staleness) {
  const double pi = std::acos(-1.0);
  if (staleness == 0)
    return 2 * (1 + momentum);
  const auto argument = [&](double angle) {
    return (static_cast<double>(staleness) - 0.5) * angle + pi / 2 +
           std::atan2(std::sin(angle), std::cos(angle) - momentum);
  };
  double low = 0, high = pi;
  constexpr int halvings = 100;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (argument(middle) < pi ? low : high) = middle;
  }
  return 2 * std::sin(low / 2) * std::sqrt(1 - 2 * momentum * std::cos(low) + momentum * momentum);
}

double dpl::converge::stableBelow(const Quadratic& problem, const Method& method,
                                  std::uint64_t most, bool alone) {
  const double scale = method.share() * problem.largestCurvature();
  double least = HUGE_VAL;
  for (std::uint64_t staleness = alone ? most : 0; staleness <= most; ++staleness)
    least = std::min(least, stabilityLimit(method.momentum, staleness) /
                                (scale * method.weightOf(staleness)));
  return least;
}

// The parameter x is an autoregression of order 2, x' = (1 + β − a)·x − β·x'' − ρ·ε with a = ρλ and
// ρ = rate·share. Its variance is ρ²V·(1 + β) / ((1 − β)·a·(2 + 2β − a)).
std::optional<double> dpl::converge::noiseFloor(const Quadratic& problem, const Method& method) {
  if (method.rate >= stableBelow(problem, method, 0, true))
    return std::nullopt;
  const double rate = method.rate * method.share(), beta = method.momentum;
  double loss = 0;
  for (const double curvature : problem.curvatures)
    loss +=
        rate * method.variance * (1 + beta) / (2 * (1 - beta) * (2 + 2 * beta - rate * curvature));
  return loss;
}

double dpl::converge::drift(const Quadratic& problem, const Method& method, double variance,
                            std::uint64_t workers, std::uint64_t period) {
  Method local = method;
  local.variance = variance;
  double sum = 0;
  for (const double curvature : problem.curvatures) {
    Moments deviation{0, 0, 0};
    for (std::uint64_t i = 0; i < period; ++i)
      deviation.step(local, method.rate, curvature);
    sum += deviation.x2;
  }
  return sum / static_cast<double>(problem.curvatures.size()) *
         (1 - 1 / static_cast<double>(workers));
}
