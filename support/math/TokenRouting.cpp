//===- TokenRouting.cpp - Random routing of tokens to experts ---------------------------------===//
#include "support/math/TokenRouting.h"
#include "support/math/Elementary.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

using namespace dpl::simulate;

namespace {
/// The largest number of successes that are counted individually.
constexpr double few = 64;

/// A binomial number by sequential search from 0; n·p must be so small that (1 − p)^n is a normal
/// number.
std::uint64_t bySearch(std::uint64_t n, double p, Draws& draws) {
  const double odds = p / (1 - p);
  double each = exponential(static_cast<double>(n) * logarithm(1 - p)), left = draws.uniform();
  std::uint64_t successes = 0;
  while (left > each && successes < n) {
    left -= each;
    each *= odds * static_cast<double>(n - successes) / static_cast<double>(successes + 1);
    ++successes;
  }
  return successes;
}
} // namespace

std::vector<double> dpl::simulate::drawChances(const TokenRouting& of, Draws& draws) {
  std::vector<double> chances(of.experts, 1);
  if (of.popularity)
    for (double& each : chances)
      each = of.popularity->sample(draws);
  // Experts with a probability above 1 get every token; the others share the rest by popularity.
  std::vector<char> sure(of.experts);
  auto left = static_cast<double>(std::min(of.active, of.experts));
  while (true) {
    double sum = 0;
    for (std::size_t i = 0; i < chances.size(); ++i)
      sum += sure[i] != 0 ? 0 : chances[i];
    bool more = false;
    const double chosen = left;
    for (std::size_t i = 0; i < chances.size(); ++i)
      if (sure[i] == 0 && chances[i] * chosen >= sum)
        sure[i] = 1, chances[i] = 1, left -= 1, more = true;
    if (more)
      continue;
    for (std::size_t i = 0; i < chances.size(); ++i)
      if (sure[i] == 0)
        chances[i] *= left / sum;
    return chances;
  }
}

std::vector<double> dpl::simulate::drawLoads(std::uint64_t tokens,
                                             const std::vector<double>& chances, Draws& draws) {
  double chance = 0;
  for (const double each : chances)
    chance += each;
  auto left = static_cast<std::uint64_t>(static_cast<double>(tokens) * chance + 0.5);
  std::vector<double> loads;
  for (const double each : chances) {
    const double share = chance > 0 ? std::min(1.0, each / chance) : 0;
    const std::uint64_t here = std::min(
        {&each == &chances.back() ? left : drawSuccesses(left, share, draws), tokens, left});
    loads.push_back(static_cast<double>(here));
    left -= here, chance -= each;
  }
  return loads;
}

std::uint64_t dpl::simulate::drawSuccesses(std::uint64_t n, double p, Draws& draws) {
  if (p > 0.5)
    return n - drawSuccesses(n, 1 - p, draws);
  const double mean = static_cast<double>(n) * p;
  if (mean <= 0)
    return 0;
  if (mean <= few)
    return bySearch(n, p, draws);
  const double drawn = mean + std::sqrt(mean * (1 - p)) * draws.normal() + 0.5;
  return static_cast<std::uint64_t>(std::clamp(drawn, 0.0, static_cast<double>(n)));
}

double dpl::simulate::expectedUpTo(double most, std::uint64_t n, double p) {
  const auto trials = static_cast<double>(n);
  const double mean = trials * p, deviation = std::sqrt(mean * (1 - p));
  if (p <= 0 || most <= 0)
    return 0;
  if (p >= 1 || most >= trials)
    return std::min(most, mean);
  // The probability of more than nine deviations above the mean is negligible.
  if (most > mean + 9 * deviation + 20)
    return mean;
  if (most < mean - 9 * deviation - 20)
    return most;
  // Computes most − Σ (most − x)·P(x) over x < most, from the most likely x outwards, by ratios of
  // successive probabilities.
  const double peak = std::floor((trials + 1) * p), odds = p / (1 - p);
  constexpr double nothing = 1e-18;
  double all = 0, lacking = 0;
  const auto take = [&](double x, double weight) {
    all += weight;
    lacking += x < most ? (most - x) * weight : 0;
  };
  for (double x = peak, weight = 1; x >= 0 && weight > nothing; --x) {
    take(x, weight);
    weight *= x / (trials - x + 1) / odds;
  }
  for (double x = peak + 1, weight = 1; x <= trials; ++x) {
    weight *= (trials - x + 1) / x * odds;
    if (weight <= nothing)
      break;
    take(x, weight);
  }
  return most - lacking / all;
}

std::vector<double> dpl::simulate::loadsOfUnits(const std::vector<double>& loads,
                                                std::uint64_t units) {
  std::vector<double> out(units, 0);
  for (std::size_t i = 0; i < loads.size(); ++i)
    out[i * units / loads.size()] += loads[i];
  return out;
}

double dpl::simulate::largestWhenPlaced(std::vector<double> loads, std::uint64_t units) {
  std::sort(loads.begin(), loads.end(), std::greater<>());
  struct Unit {
    double load = 0;
    std::uint64_t number = 0, places = 0;
    bool operator<(const Unit& o) const { // for a queue whose first unit has the smallest load
      return load != o.load ? load > o.load : number > o.number;
    }
  };
  std::priority_queue<Unit> open;
  const std::uint64_t places = (loads.size() + units - 1) / units;
  for (std::uint64_t i = 0; i < units; ++i)
    open.push({0, i, places});
  double largest = 0;
  for (const double load : loads) {
    Unit unit = open.top();
    open.pop();
    unit.load += load;
    largest = std::max(largest, unit.load);
    if (--unit.places > 0)
      open.push(unit);
  }
  return largest;
}

std::vector<double> dpl::simulate::loadsOfCopies(std::vector<double> loads, std::uint64_t more) {
  struct Copied {
    double load = 0; ///< tokens per copy
    std::size_t expert = 0;
    bool operator<(const Copied& o) const { // for a queue whose first expert has the largest load
      return load != o.load ? load < o.load : expert > o.expert;
    }
  };
  std::priority_queue<Copied> most;
  std::vector<double> copies(loads.size(), 1);
  for (std::size_t i = 0; i < loads.size(); ++i)
    most.push({loads[i], i});
  for (std::uint64_t i = 0; i < more; ++i) {
    const std::size_t expert = most.top().expert;
    most.pop();
    ++copies[expert];
    most.push({loads[expert] / copies[expert], expert});
  }
  std::vector<double> out;
  for (std::size_t i = 0; i < loads.size(); ++i)
    out.insert(out.end(), static_cast<std::size_t>(copies[i]), loads[i] / copies[i]);
  return out;
}
