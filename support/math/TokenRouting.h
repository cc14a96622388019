#pragma once
//===- TokenRouting.h - How tokens spread over experts ----------------------------------------===//
//
// Experts differ in how likely tokens choose them, and tokens choose by chance. Both are drawn.
#include "support/math/Distribution.h"
#include <optional>

namespace dpl::simulate {

struct TokenRouting {
  std::uint64_t experts = 1;
  std::uint64_t active = 1;               ///< that a token chooses, each at most once
  std::optional<Distribution> popularity; ///< of an expert; none: all are alike
};

/// For each expert the share of the tokens that choose it, at most 1; they add up to `active`.
std::vector<double> drawChances(const TokenRouting& routing, Draws& draws);

/// Of so many tokens those that chose each expert: all of their choices, each expert at most once a
/// token.
std::vector<double> drawLoads(std::uint64_t tokens, const std::vector<double>& chances,
                              Draws& draws);

/// How many of n trials of probability p succeed: exactly where few do or few do not, else by the
/// normal distribution.
std::uint64_t drawSuccesses(std::uint64_t n, double p, Draws& draws);

/// E[min(X, most)] of as many successes.
double expectedUpTo(double most, std::uint64_t n, double p);

/// What units that hold equally many consecutive experts are sent.
std::vector<double> loadsOfUnits(const std::vector<double>& loads, std::uint64_t units);
/// The largest of units when each expert, the most loaded first, goes to the unit with the least so
/// far that has a place left.
double largestWhenPlaced(std::vector<double> loads, std::uint64_t units);
/// Loads of the copies when so many more are made, one after the other, each of the expert whose
/// copies are sent most; copies of one are sent alike.
std::vector<double> loadsOfCopies(std::vector<double> loads, std::uint64_t more);

} // namespace dpl::simulate
