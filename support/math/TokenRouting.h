#pragma once
//===- TokenRouting.h - Random routing of tokens to experts -----------------------------------===//
//
// Experts have random popularities, and tokens choose experts at random.
#include "support/math/Distribution.h"
#include <optional>

namespace dpl::simulate {

struct TokenRouting {
  std::uint64_t experts = 1;
  std::uint64_t active = 1;               ///< number of distinct experts that a token chooses
  std::optional<Distribution> popularity; ///< none: all experts are equally popular
};

/// The share of the tokens that choose each expert, at most 1. The shares sum to `active`.
std::vector<double> drawChances(const TokenRouting& routing, Draws& draws);

/// The number of tokens that choose each expert. A token chooses an expert at most once.
std::vector<double> drawLoads(std::uint64_t tokens, const std::vector<double>& chances,
                              Draws& draws);

/// The number of successes in n trials of probability p: exact if few succeed or few fail,
/// otherwise normally distributed.
std::uint64_t drawSuccesses(std::uint64_t n, double p, Draws& draws);

/// E[min(X, most)], where X is the number of successes in n trials of probability p.
double expectedUpTo(double most, std::uint64_t n, double p);

/// The loads of units that hold equally many consecutive experts.
std::vector<double> loadsOfUnits(const std::vector<double>& loads, std::uint64_t units);
/// The largest load of a unit if experts are placed in decreasing order of their loads, each on the
/// unit with the least load that has room.
double largestWhenPlaced(std::vector<double> loads, std::uint64_t units);
/// The loads of the copies after `more` steps, each of which adds a copy of the expert with the
/// most loaded copies. The copies of one expert have equal loads.
std::vector<double> loadsOfCopies(std::vector<double> loads, std::uint64_t more);

} // namespace dpl::simulate
