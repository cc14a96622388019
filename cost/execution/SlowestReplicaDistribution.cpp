//===- SlowestReplicaDistribution.cpp - Distribution of the slowest column --------------------===//
#include "cost/execution/SlowestReplicaDistribution.h"
#include <algorithm>
#include <cmath>

using namespace dpl::cost;

/// The part that a rank adds if it is the slowest. Below the mean the first positive slope is
/// continued. A tiny slope is added, so that among ranks with equal parts the slowest one is
/// chosen.
double SlowestReplicaDistribution::addsAt(const RankResponse& rank, double factor) const {
  const double little = 1e-9 * base * (factor - mean);
  double sum = 0, from = mean;
  std::size_t first = 0;
  while (first < knots.size() && rank.slopes[first] <= 1e-9 * base)
    from = knots[first++];
  if (first == knots.size())
    return little;
  if (factor <= from)
    return (factor - from) * rank.slopes[first] + little;
  for (std::size_t i = first; i < knots.size(); ++i) {
    const double to = i + 1 < knots.size() ? std::min(factor, knots[i]) : factor;
    if (to > from)
      sum += (to - from) * rank.slopes[i], from = to;
  }
  return sum + little;
}

double SlowestReplicaDistribution::leastAdded() const {
  double always = 0;
  for (const RankResponse& rank : ranks)
    always += static_cast<double>(rank.ranks) * rank.always;
  return std::min(0.0, allFast - base - always * (fast - mean));
}

double SlowestReplicaDistribution::countedTwice() const {
  double always = 0, added = 0;
  for (const RankResponse& rank : ranks) {
    always += static_cast<double>(rank.ranks) * rank.always;
    added = std::max(added, addsAt(rank, slow));
  }
  return base + always * (slow - mean) + added - allSlow;
}

double SlowestReplicaDistribution::stepAt(const std::vector<double>& factors,
                                          const std::vector<std::size_t>& responses) const {
  double always = 0, added = 0, slowest = 0, fastest = INFINITY;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const RankResponse& rank = ranks[responses[i]];
    always += rank.always * (factors[i] - mean);
    added = std::max(added, addsAt(rank, factors[i]));
    slowest = std::max(slowest, factors[i]), fastest = std::min(fastest, factors[i]);
  }
  if (slowest < mean) // all ranks are fast, as they are where `allFast` was measured
    added = leastAdded() * (mean - slowest) / (mean - fast);
  if (fastest > mean) // all ranks are slow, as they are where `allSlow` was measured
    added -= countedTwice() * (fastest - mean) / (slow - mean);
  return base + always + added;
}

std::vector<SlowestReplicaDistribution::RankContribution>
SlowestReplicaDistribution::contributions() const {
  const std::size_t n = distribution.size();
  // `adds` is the part that each rank adds at each value.
  std::vector<std::vector<double>> adds(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r)
    for (const double value : distribution.values)
      adds[r].push_back(addsAt(ranks[r], value));
  const double least = leastAdded();
  std::vector<RankContribution> out;
  std::vector<std::size_t> cap(ranks.size(), 0);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    std::fill(cap.begin(), cap.end(), 0);
    for (std::size_t k = 0; k < n; ++k) {
      const double width =
          distribution.discrete
              ? 0
              : ((k + 1 < n ? distribution.values[k + 1] : distribution.values[k]) -
                 (k > 0 ? distribution.values[k - 1] : distribution.values[k])) /
                    4;
      double weight = 0, sum = ranks[r].always * (distribution.values[k] - mean), variance = 0;
      for (std::size_t o = 0; o < ranks.size() && (o == 0 || weight > 0); ++o) {
        std::size_t& at = cap[o];
        while (at < n && (o < r ? adds[o][at] <= adds[r][k] : adds[o][at] < adds[r][k]))
          ++at;
        if (o == r)
          at = k + 1;
        const double others = static_cast<double>(ranks[o].ranks) - (o == r ? 1 : 0);
        const double below = at > 0 ? distribution.zeroth[at - 1] : 0;
        double share = std::pow(below, others);
        if (o == r) { // the slowest rank of this response has exactly this value
          const double before = k > 0 ? distribution.zeroth[k - 1] : 0;
          share = std::pow(below, others + 1) - std::pow(before, others + 1);
          if (below - before < 1e-9) // computed without cancellation
            share = (others + 1) * distribution.weights[k] * std::pow(below, others);
        }
        weight = o == 0 ? share : weight * share;
        if (weight <= 0)
          break;
        if (others > 0) {
          const double m = distribution.first[at - 1] / below,
                       v = std::max(0.0, distribution.second[at - 1] / below - m * m);
          sum += others * ranks[o].always * (m - mean);
          variance += others * ranks[o].always * ranks[o].always * v;
        }
      }
      if (weight <= 0)
        continue;
      // A value represents the interval around it, which adds to the variance.
      const double slope = adds[r][k] > least ? ranks[r].slopes.back() : 0;
      variance += std::pow(width * (slope + ranks[r].always), 2);
      out.push_back({weight, base + sum + std::max(least, adds[r][k]), std::sqrt(variance)});
    }
  }
  return out;
}

namespace {
using RankContribution = SlowestReplicaDistribution::RankContribution;

/// The distribution of the steps of equal columns.
class ColumnSteps {
public:
  explicit ColumnSteps(const EqualColumns& of)
      : columns(of.columns), all(of.replica->contributions()), discrete(of.replica->isDiscrete()) {
    std::sort(all.begin(), all.end(),
              [](const RankContribution& a, const RankContribution& b) { return a.mean < b.mean; });
    for (const RankContribution& part : all)
      sum += part.weight, widest = std::max(widest, part.deviation);
  }

  /// The logarithm of the probability that all columns take at most t, and at most 0.
  double logBelow(double t) const {
    const double above = shareAbove(t);
    return above >= 1 ? -INFINITY : columns * std::log1p(-above);
  }

  /// Adds the times at which the distribution is evaluated.
  void addPoints(std::vector<double>& at) const {
    // The share of a discrete distribution falls at each part, so that each part gets a point. For
    // other distributions points are spread evenly over the parts.
    const std::size_t points = discrete ? all.size() : 240;
    for (std::size_t i = 0; i < points; ++i)
      at.push_back(all[(all.size() - 1) * i / std::max<std::size_t>(1, points - 1)].mean);
    const double low = all.front().mean, high = all.back().mean;
    // If there are few parts, more points cover the standard deviations around each part.
    constexpr std::size_t fewParts = 48;
    if (discrete && all.size() <= fewParts)
      for (const RankContribution& part : all)
        for (int i = -12; i <= 12; ++i)
          at.push_back(part.mean + part.deviation * i / 3);
    // A part far above may be the widest one, so points below lie densest next to the lowest part.
    for (int i = 1; i <= 24; ++i) {
      at.push_back(low - 6 * widest * std::pow(i / 24.0, 4));
      at.push_back(high + 6 * widest * i / 24);
    }
  }

private:
  /// The share of columns whose step is longer than t.
  double shareAbove(double t) const {
    double share = 0;
    for (const RankContribution& part : all) {
      const double z = part.deviation > 0 ? (t - part.mean) / part.deviation
                                          : (t < part.mean   ? -40
                                             : t > part.mean ? 40
                                                             : 0);
      share += z > 9 ? 0 : z < -9 ? part.weight : part.weight * 0.5 * std::erfc(z / std::sqrt(2.0));
    }
    return std::min(1.0, share / sum);
  }

  double columns;
  std::vector<RankContribution> all;
  bool discrete;
  double sum = 0, widest = 0;
};
} // namespace

double SlowestReplicaDistribution::meanOfLargest(double columns) const {
  return dpl::cost::meanOfLargest({{this, columns}});
}

double dpl::cost::meanOfLargest(const std::vector<EqualColumns>& all) {
  std::vector<ColumnSteps> steps;
  std::vector<double> at;
  bool discrete = false;
  for (const EqualColumns& equal : all) {
    steps.emplace_back(equal).addPoints(at);
    discrete |= equal.replica->isDiscrete();
  }
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  for (std::size_t i = 0, n = discrete ? at.size() - 1 : 0; i < n; ++i) {
    const double little = 1e-6 * (at[i + 1] - at[i]);
    at.push_back(at[i] + little), at.push_back(at[i + 1] - little);
  }
  std::sort(at.begin(), at.end());
  // Integrates the probability that the slowest column takes longer.
  double largest = at.front(), before = 1;
  for (std::size_t i = 1; i < at.size(); ++i) {
    double below = 0;
    for (const ColumnSteps& equal : steps)
      below += equal.logBelow(at[i]);
    const double longer = -std::expm1(below);
    largest += (at[i] - at[i - 1]) * (before + longer) / 2;
    before = longer;
  }
  return largest;
}
