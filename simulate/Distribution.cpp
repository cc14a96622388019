//===- Distribution.cpp - How a time varies -----------------------------------------------===//
#include "simulate/Distribution.h"
#include "simulate/Elementary.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace dpl::simulate;

Distribution Distribution::constant(double value) { return {Kind::Constant, value, 0}; }

Distribution Distribution::logNormal(double mean, double cv) {
  assert(mean > 0 && cv >= 0);
  const double square = logarithm(1 + cv * cv); // σ² of the logarithm
  return {Kind::LogNormal, logarithm(mean) - square / 2, std::sqrt(square)};
}

Distribution Distribution::gamma(double shape, double scale) {
  assert(shape > 0 && scale > 0);
  return {Kind::Gamma, shape, scale};
}

Distribution Distribution::pareto(double shape, double least) {
  assert(shape > 0 && least > 0);
  return {Kind::Pareto, shape, least};
}

Distribution Distribution::mixture(std::vector<Distribution> parts,
                                   const std::vector<double>& weights) {
  assert(!parts.empty() && parts.size() == weights.size());
  Distribution all(Kind::Mixture, 0, 0);
  double sum = 0;
  for (const double weight : weights)
    all.numbers.push_back(sum += weight);
  all.parts = std::move(parts);
  return all;
}

Distribution Distribution::empirical(std::vector<double> values) {
  assert(!values.empty());
  Distribution all(Kind::Empirical, 0, 0);
  all.numbers = std::move(values);
  return all;
}

/// Marsaglia and Tsang, A simple method for generating gamma variables, 2000; below a shape of 1 of
/// one more times u^(1/shape).
double Distribution::sampleGamma(double shape, Draws& draws) {
  if (shape < 1) {
    const double root = exponential(logarithm(draws.uniform()) / shape);
    return root * sampleGamma(shape + 1, draws);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = draws.normal(), root = 1 + c * x;
    if (root <= 0)
      continue;
    const double v = root * root * root;
    if (logarithm(draws.uniform()) < x * x / 2 + d * (1 - v + logarithm(v)))
      return d * v;
  }
}

double Distribution::sample(Draws& draws) const {
  switch (kind) {
  case Kind::Constant:
    return a;
  case Kind::LogNormal:
    return exponential(a + b * draws.normal());
  case Kind::Gamma:
    return b * sampleGamma(a, draws);
  case Kind::Pareto:
    return b * exponential(-logarithm(draws.uniform()) / a);
  case Kind::Mixture: {
    const double at = draws.uniform() * numbers.back();
    const auto part = std::upper_bound(numbers.begin(), numbers.end() - 1, at);
    return parts[static_cast<std::size_t>(part - numbers.begin())].sample(draws);
  }
  case Kind::Empirical:
    return numbers[static_cast<std::size_t>(draws.uniform() * static_cast<double>(numbers.size()))];
  }
  return a;
}

double Distribution::mean() const {
  double sum = 0;
  switch (kind) {
  case Kind::Constant:
    return a;
  case Kind::LogNormal:
    return exponential(a + b * b / 2);
  case Kind::Gamma:
    return a * b;
  case Kind::Pareto:
    return a > 1 ? a * b / (a - 1) : std::numeric_limits<double>::infinity();
  case Kind::Mixture:
    for (std::size_t i = 0; i < parts.size(); ++i)
      sum += (numbers[i] - (i > 0 ? numbers[i - 1] : 0)) * parts[i].mean();
    return sum / numbers.back();
  case Kind::Empirical:
    for (const double value : numbers)
      sum += value;
    return sum / static_cast<double>(numbers.size());
  }
  return a;
}

double Distribution::variance() const {
  const double center = mean();
  double sum = 0;
  switch (kind) {
  case Kind::Constant:
    return 0;
  case Kind::LogNormal:
    return (exponential(b * b) - 1) * center * center;
  case Kind::Gamma:
    return a * b * b;
  case Kind::Pareto:
    return a > 2 ? b * b * a / ((a - 1) * (a - 1) * (a - 2))
                 : std::numeric_limits<double>::infinity();
  case Kind::Mixture:
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double off = parts[i].mean() - center;
      sum += (numbers[i] - (i > 0 ? numbers[i - 1] : 0)) * (parts[i].variance() + off * off);
    }
    return sum / numbers.back();
  case Kind::Empirical:
    for (const double value : numbers)
      sum += (value - center) * (value - center);
    return sum / static_cast<double>(numbers.size());
  }
  return 0;
}
