#pragma once
//===- Ranking.h - The candidates that have a rank so far -------------------------------------===//
#include "planner/search/CandidateSearch.h"

namespace dpl::planner {

/// The best candidates so far in order, or those of the Pareto front.
class Ranking {
public:
  explicit Ranking(const CandidateSearchOptions& options) : options(options) {}

  const std::vector<RankedCandidate>& ranked() const { return all; }
  void add(RankedCandidate one);
  /// Whether lower bounds exclude a candidate: it is slower than the last candidate that gets a
  /// rank, or worse in each objective than one layout of the front.
  bool excludes(double step, double memory) const;

private:
  bool isBetter(const RankedCandidate& a, const RankedCandidate& b) const;
  /// Whether `a` is as good as `b` in each objective; if all are equal, whether its number is
  /// smaller.
  bool isAtLeast(const RankedCandidate& a, const RankedCandidate& b) const;

  const CandidateSearchOptions& options;
  std::vector<RankedCandidate> all;
};

} // namespace dpl::planner
