//===- Ranking.cpp - The candidates that have a rank so far -----------------------------------===//
#include "planner/search/Ranking.h"
#include "planner/Bound.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::planner;

void Ranking::add(RankedCandidate one) {
  if (options.pareto) {
    if (llvm::any_of(all, [&](const auto& other) { return isAtLeast(other, one); }))
      return;
    llvm::erase_if(all, [&](const auto& other) { return isAtLeast(one, other); });
  }
  const auto at = std::upper_bound(
      all.begin(), all.end(), one,
      [&](const RankedCandidate& a, const RankedCandidate& b) { return isBetter(a, b); });
  all.insert(at, std::move(one));
  if (!options.pareto && all.size() > options.keep)
    all.pop_back();
}

bool Ranking::excludes(double step, double memory) const {
  if (!options.pareto)
    return options.byStep && all.size() == options.keep &&
           step * boundRounding > all.back().objectives.front();
  return llvm::any_of(all, [&](const RankedCandidate& one) {
    for (std::size_t i = 0; i < one.objectives.size(); ++i) {
      const double bound = options.bounds[i] == ObjectiveBound::Step     ? step
                           : options.bounds[i] == ObjectiveBound::Memory ? memory
                                                                         : 0;
      if (bound * boundRounding <= one.objectives[i])
        return false;
    }
    return true;
  });
}

bool Ranking::isBetter(const RankedCandidate& a, const RankedCandidate& b) const {
  for (std::size_t i = 0; i < options.maximize.size(); ++i)
    if (a.objectives[i] != b.objectives[i])
      return (a.objectives[i] > b.objectives[i]) == options.maximize[i];
  return a.candidate < b.candidate;
}

bool Ranking::isAtLeast(const RankedCandidate& a, const RankedCandidate& b) const {
  for (std::size_t i = 0; i < a.objectives.size(); ++i)
    if (options.maximize[i] ? a.objectives[i] < b.objectives[i] : a.objectives[i] > b.objectives[i])
      return false;
  return a.objectives != b.objectives || a.candidate < b.candidate;
}
