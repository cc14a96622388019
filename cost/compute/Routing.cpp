//===- Routing.cpp - Expert load if tokens choose at random -----------------------------------===//
#include "cost/compute/Routing.h"
#include "cost/compute/LayerCost.h"
#include "ir/Arithmetic.h"
#include <algorithm>
#include <array>
#include <numeric>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
double quantile(std::vector<double>& values, double share) {
  const auto at = values.begin() +
                  static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

std::uint64_t wholeTokens(const Routed& of) {
  return static_cast<std::uint64_t>(std::max(1.0, of.tokens + 0.5));
}

/// The number of expert choices of the tokens of all ranks.
double choicesOf(const Routed& of) {
  return real(wholeTokens(of)) * real(of.feedForward.active) * real(of.ranks);
}

/// Calls `use` with the expert loads of each random layer.
template <class Use> void drawLayers(const Routed& of, const Use& use) {
  const simulate::TokenRouting routing = routingOf(of.feedForward);
  for (std::uint32_t i = 0; i < routingDraws; ++i) {
    simulate::Draws draws({1, i, 0, 0});
    use(loadsOf(of, drawChances(routing, draws), draws));
  }
}

RoutedLoads drawn(const Routed& of) {
  const double choices = choicesOf(of), ofRank = choices / real(of.ranks),
               ofExpert = choices / real(of.feedForward.experts);
  std::vector<double> ranks, experts;
  double kept = 0;
  drawLayers(of, [&](const std::vector<double>& loads) {
    const std::vector<double> units = simulate::loadsOfUnits(loads, of.ranks);
    ranks.push_back(*std::max_element(units.begin(), units.end()) / ofRank);
    experts.push_back(*std::max_element(loads.begin(), loads.end()) / ofExpert);
    kept += std::accumulate(loads.begin(), loads.end(), 0.0) / choices;
  });
  RoutedLoads out;
  out.low = quantile(ranks, 0.05), out.median = quantile(ranks, 0.5);
  out.high = quantile(ranks, 0.95), out.expert = quantile(experts, 0.5);
  out.dropped = std::max(0.0, 1 - kept / routingDraws);
  return out;
}

RebalancedLoads rebalanced(const Routed& of) {
  const double ofRank = choicesOf(of) / real(of.ranks);
  std::vector<double> placed, copied;
  drawLayers(of, [&](const std::vector<double>& loads) {
    const std::vector<double> units = simulate::loadsOfUnits(loads, of.ranks);
    placed.push_back((of.feedForward.experts == of.ranks
                          ? *std::max_element(units.begin(), units.end())
                          : simulate::largestWhenPlaced(loads, of.ranks)) /
                     ofRank);
    copied.push_back(
        simulate::largestWhenPlaced(simulate::loadsOfCopies(loads, of.ranks), of.ranks) / ofRank);
  });
  return {quantile(placed, 0.5), quantile(copied, 0.5)};
}

/// The result of `work`, cached for the last few arguments on this thread.
template <class Loads> Loads remembered(const Routed& of, Loads (*work)(const Routed&)) {
  using Key = std::array<double, 7>;
  struct Known {
    Key key{};
    Loads loads;
  };
  static thread_local std::array<Known, 16> table;
  static thread_local std::size_t next = 0;
  const FeedForward& f = of.feedForward;
  const Key key{static_cast<double>(f.popularity),
                f.spread,
                f.capacity,
                real(f.experts),
                real(f.active),
                real(of.ranks),
                real(wholeTokens(of))};
  for (const Known& known : table)
    if (known.key == key)
      return known.loads;
  Known& known = table[next++ % table.size()];
  known = {key, work(of)};
  return known.loads;
}
} // namespace

simulate::TokenRouting dpl::cost::routingOf(const FeedForward& f) {
  simulate::TokenRouting out{f.experts, f.active, {}};
  if (f.popularity == PopularityKind::Pareto)
    out.popularity = simulate::Distribution::pareto(f.spread);
  if (f.popularity == PopularityKind::LogNormal)
    out.popularity = simulate::Distribution::logNormal(f.spread);
  return out;
}

std::vector<double> dpl::cost::loadsOf(const Routed& of, const std::vector<double>& chances,
                                       simulate::Draws& draws) {
  const std::uint64_t tokens = wholeTokens(of);
  if (of.feedForward.capacity <= 0)
    return simulate::drawLoads(tokens * of.ranks, chances, draws);
  const double even = real(tokens) * real(of.feedForward.active) / real(of.feedForward.experts);
  const double most = capacityRows(even, of.feedForward);
  std::vector<double> loads;
  for (std::size_t i = 0; i < chances.size(); ++i)
    loads.push_back(i > 0 && chances[i] == chances[i - 1]
                        ? loads.back()
                        : real(of.ranks) * simulate::expectedUpTo(most, tokens, chances[i]));
  return loads;
}

RoutedLoads dpl::cost::routedLoads(const Routed& of) { return remembered(of, drawn); }
RebalancedLoads dpl::cost::rebalancedLoads(const Routed& of) { return remembered(of, rebalanced); }
