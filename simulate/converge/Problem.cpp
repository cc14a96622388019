//===- Problem.cpp - A quadratic and the method that descends it ------------------------------===//
#include "simulate/converge/Problem.h"
#include <algorithm>
#include <numeric>

using namespace dpl::converge;

double Quadratic::largestCurvature() const {
  return *std::max_element(curvatures.begin(), curvatures.end());
}

double Quadratic::lossAtStart() const {
  return std::accumulate(curvatures.begin(), curvatures.end(), 0.0) / 2;
}

double Method::rateAt(std::uint64_t update) const {
  return update < warmup ? rate * static_cast<double>(update + 1) / static_cast<double>(warmup)
                         : rate;
}

double Method::weightOf(std::uint64_t staleness) const {
  return weight == WeightKind::None ? 1 : 1 / (1 + static_cast<double>(staleness));
}

double Outcome::meanStaleness() const {
  double sum = 0, all = 0;
  for (const auto& [age, count] : staleness) {
    sum += static_cast<double>(age) * static_cast<double>(count);
    all += static_cast<double>(count);
  }
  return all > 0 ? sum / all : 0;
}

double Outcome::stalenessAt(double fraction) const {
  double all = 0, below = 0;
  for (const auto& [age, count] : staleness)
    all += static_cast<double>(count);
  for (const auto& [age, count] : staleness)
    if (below += static_cast<double>(count); below >= fraction * all)
      return static_cast<double>(age);
  return 0;
}
