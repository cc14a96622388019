//===- SharedJitter.cpp - Columns whose devices share jitter with others of their node --------===//
#include "cost/execution/SharedJitter.h"
#include "ir/Arithmetic.h"
#include "ir/LockstepGroups.h"
#include "support/math/Random.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

using namespace dpl;
using namespace dpl::cost;
using ir::real;

namespace {
/// Limit of the random numbers of all steps together, and the fewest and the most steps.
constexpr std::size_t mostNumbers = 400'000, fewestSteps = 128, mostSteps = 16'384;

NodesOfRank nodesOf(const ir::PipelineReplicas& grid, const std::vector<std::uint32_t>& joined,
                    std::uint32_t rank, std::uint64_t inNode, const RelativeTimes& times) {
  std::map<std::size_t, std::size_t> devices;
  for (const std::uint32_t column : joined)
    ++devices[grid.deviceOf(column, rank) / inNode];
  NodesOfRank out;
  for (const auto& [node, count] : devices)
    out.push_back({node, count, times.of(rank, node * inNode)});
  return out;
}
} // namespace

bool ReplicaSet::shares() const {
  std::vector<bool> seen(nodes);
  for (const std::vector<NodesOfRank>& column : replicas)
    for (const NodesOfRank& rank : column)
      for (const DevicesOfNode& part : rank) {
        if (seen[part.node])
          return true;
        seen[part.node] = true;
      }
  return false;
}

ReplicaSet dpl::cost::replicaSetOf(const ir::Plan& plan,
                                   const std::vector<std::vector<std::uint32_t>>& joined,
                                   const RelativeTimes& times) {
  const ir::PipelineReplicas grid(plan);
  std::vector<std::vector<NodesOfRank>> all(joined.size());
  std::map<std::size_t, std::vector<std::size_t>> columnsOfNode;
  for (std::size_t column = 0; column < joined.size(); ++column)
    for (std::uint32_t rank = 0; rank < grid.ranks; ++rank) {
      all[column].push_back(nodesOf(grid, joined[column], rank, plan.cluster.gpusPerNode, times));
      for (const DevicesOfNode& part : all[column].back())
        columnsOfNode[part.node].push_back(column);
    }
  ReplicaSet out;
  std::map<std::size_t, std::size_t> numbers; // number of each node
  std::vector<bool> reached(joined.size());
  std::vector<std::size_t> open = {0};
  reached[0] = true;
  for (std::size_t column = 1; times.differ() && column < joined.size(); ++column)
    reached[column] = true, open.push_back(column);
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    for (NodesOfRank& rank : all[at])
      for (DevicesOfNode& part : rank) {
        for (const std::size_t other : columnsOfNode[part.node])
          if (!reached[other])
            reached[other] = true, open.push_back(other);
        part.node = numbers.try_emplace(part.node, numbers.size()).first->second;
      }
    out.replicas.push_back(std::move(all[at]));
  }
  out.nodes = numbers.size();
  out.sets = real(joined.size()) / real(out.replicas.size());
  return out;
}

namespace {
/// Draws the slowest column of a set, step after step.
class SetDraws {
public:
  SetDraws(const SlowestReplicaDistribution& replica, const std::vector<std::size_t>& responses,
           const ReplicaSet& set, const ir::Jitter& jitter)
      : replica(replica), responses(responses), set(set), common(set.nodes),
        factors(responses.size()) {
    const double variance = std::log1p(jitter.spread * jitter.spread);
    deviation = std::sqrt(jitter.node * variance);
    ir::Jitter own = jitter;
    own.node = 0, own.spread = std::sqrt(std::expm1((1 - jitter.node) * variance));
    for (const std::vector<NodesOfRank>& each : set.replicas)
      for (const NodesOfRank& rank : each)
        for (const DevicesOfNode& part : rank)
          slowest.try_emplace(part.devices, own, real(part.devices), 1), ++numbers;
    numbers += set.nodes;
  }

  /// Draws a number of steps and returns their times in ps.
  std::vector<double> steps() {
    const std::size_t count = std::clamp(mostNumbers / numbers, fewestSteps, mostSteps);
    std::vector<double> out;
    for (std::size_t i = 0; i < count; ++i)
      out.push_back(step(static_cast<std::uint32_t>(i)));
    return out;
  }

private:
  /// Draws one step. Every second step uses the mirrored random numbers of the step before, which
  /// makes means of steps more exact.
  double step(std::uint32_t i) {
    simulate::Draws draws({1, i / 2, 0, 0});
    const bool mirrored = i % 2 == 1;
    for (double& factor : common)
      factor = std::exp(deviation * (mirrored ? -draws.normal() : draws.normal()) -
                        deviation * deviation / 2);
    double most = 0;
    for (const std::vector<NodesOfRank>& each : set.replicas) {
      for (std::size_t rank = 0; rank < each.size(); ++rank) {
        factors[rank] = 0;
        for (const DevicesOfNode& part : each[rank]) {
          const double share = draws.uniform();
          const double own = slowest.at(part.devices).exceededBy(mirrored ? 1 - share : share);
          factors[rank] = std::max(factors[rank], part.relative * common[part.node] * own);
        }
      }
      most = std::max(most, replica.stepAt(factors, responses));
    }
    return most;
  }

  const SlowestReplicaDistribution& replica;
  const std::vector<std::size_t>& responses;
  const ReplicaSet& set;
  double deviation = 0; ///< deviation of the logarithm of a node's factor
  /// Distribution of the slowest of several devices of a node, by their number, without the factor
  /// that the node's devices share.
  std::map<std::size_t, SlowestDeviceDistribution> slowest;
  std::size_t numbers = 0; ///< random numbers for each step
  std::vector<double> common, factors;
};

/// Number of standard deviations that a normal variable exceeds with probability `share`.
double deviationsAbove(double share) {
  double low = -9, high = 9;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(middle / std::sqrt(2.0)) > share ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// The upper tail of a sample: its logarithm as a linear function of normal deviations.
class JitterTail {
public:
  /// Fits the largest tenth of a sorted sample.
  explicit JitterTail(const std::vector<double>& sorted) {
    const std::size_t n = sorted.size(), first = n - n / 10;
    double x = 0, y = 0, xx = 0, xy = 0;
    for (std::size_t i = first; i < n; ++i) {
      const double z = deviationsAbove((real(n - i) - 0.5) / real(n)), value = std::log(sorted[i]);
      x += z, y += value, xx += z * z, xy += z * value;
    }
    const double count = real(n - first);
    slope = (xy - x * y / count) / (xx - x * x / count);
    level = (y - slope * x) / count;
  }
  double exceededBy(double share) const { return std::exp(level + slope * deviationsAbove(share)); }

private:
  double level = 0, slope = 0;
};

/// The mean of the largest of `n` draws from the distribution of `sample`.
double largestOf(std::vector<double> sample, double n) {
  std::sort(sample.begin(), sample.end());
  const JitterTail tail(sample);
  const double all = real(sample.size());
  // Smaller shares of draws come from the fitted tail, because the sample has too few draws there.
  constexpr double fromTail = 0.02;
  constexpr int points = 400;
  if (n <= 1)
    return std::accumulate(sample.begin(), sample.end(), 0.0) / all;
  double sum = 0;
  for (int i = 0; i < points; ++i) {
    // The share of draws above the value that the largest is below with this probability.
    const double share = -std::expm1(std::log((i + 0.5) / points) / n);
    sum += share < fromTail ? tail.exceededBy(share)
                            : sample[static_cast<std::size_t>((1 - share) * all)];
  }
  return sum / points;
}
} // namespace

double dpl::cost::meanOfSlowest(const SlowestReplicaDistribution& replica,
                                const std::vector<std::size_t>& responses, const ReplicaSet& set,
                                const ir::Jitter& jitter) {
  return largestOf(SetDraws(replica, responses, set, jitter).steps(), set.sets);
}
