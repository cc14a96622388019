//===- Pacing.cpp - Workers that hold each other up, and one that lets the others pass --------===//
#include "simulate/Pacing.h"
#include <algorithm>
#include <cmath>

using namespace dpl::simulate;

double PacedGroup::step(llvm::ArrayRef<double> alone, llvm::MutableArrayRef<double> through) {
  const double wait = early < alone.size() ? delay : 0;
  const auto held = [&](std::size_t worker) { return worker == early ? wait : 0.0; };
  double first = INFINITY; // when somebody communicates
  for (std::size_t i = 0; i < alone.size(); ++i)
    first = std::min(first, alone[i] + held(i));
  double last = 0, others = 0;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const double done = alone[i] <= first ? alone[i] : first + pacing.coupling * (alone[i] - first);
    last = std::max(last, done + held(i));
    if (!through.empty())
      through[i] = done + held(i);
    if (i != early)
      others = std::max(others, done);
  }
  ++steps;
  if (pacing.change > 0 && early < alone.size()) {
    const double move = pacing.change / std::sqrt(static_cast<double>(steps));
    const bool late = others > alone[early] + wait;
    delay = std::max(0.0, delay + move * (late ? pacing.coupling - 1 : -1));
  }
  early = static_cast<std::size_t>(std::min_element(alone.begin(), alone.end()) - alone.begin());
  return last;
}

double dpl::simulate::meanStep(const Pacing& pacing,
                               const std::vector<std::vector<double>>& steps) {
  PacedGroup group(pacing);
  double sum = 0;
  for (const std::vector<double>& alone : steps)
    sum += group.step(alone);
  return sum / static_cast<double>(steps.size());
}

double dpl::simulate::bestDelay(double coupling, const std::vector<std::vector<double>>& steps) {
  double low = 0, high = 0;
  for (const std::vector<double>& alone : steps) {
    const auto [first, last] = std::minmax_element(alone.begin(), alone.end());
    high = std::max(high, *last - *first);
  }
  constexpr int cells = 32;
  double best = 0;
  for (int finer = 0; finer < 4; ++finer) {
    const double width = (high - low) / cells;
    double least = INFINITY;
    for (int i = 0; i <= cells; ++i)
      if (const double mean = meanStep({coupling, low + width * i, 0}, steps); mean < least)
        least = mean, best = low + width * i;
    low = std::max(0.0, best - width), high = best + width;
  }
  return best;
}
