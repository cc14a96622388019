//===- Routing.cpp - How busy tokens that choose by chance make the ranks of experts ----------===//
#include "cost/compute/Routing.h"
#include "cost/compute/LayerCost.h"
#include "ir/Arithmetic.h"
#include <algorithm>
#include <array>
#include <cmath>
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

RoutedLoads drawn(const Routed& of) {
  const simulate::TokenRouting routing = routingOf(of.part);
  const double choices = real(wholeTokens(of)) * real(of.part.active) * real(of.ranks),
               ofRank = choices / real(of.ranks), ofExpert = choices / real(of.part.experts);
  std::vector<double> ranks, experts, placed, copied;
  double kept = 0;
  for (std::uint32_t i = 0; i < routingDraws; ++i) {
    simulate::Draws draws({1, i, 0, 0});
    const std::vector<double> loads = loadsOf(of, drawChances(routing, draws), draws);
    const std::vector<double> units = simulate::loadsOfUnits(loads, of.ranks);
    ranks.push_back(*std::max_element(units.begin(), units.end()) / ofRank);
    experts.push_back(*std::max_element(loads.begin(), loads.end()) / ofExpert);
    placed.push_back(of.part.experts == of.ranks
                         ? ranks.back()
                         : simulate::largestWhenPlaced(loads, of.ranks) / ofRank);
    copied.push_back(
        simulate::largestWhenPlaced(simulate::loadsOfCopies(loads, of.ranks), of.ranks) / ofRank);
    kept += std::accumulate(loads.begin(), loads.end(), 0.0) / choices;
  }
  RoutedLoads out;
  out.low = quantile(ranks, 0.05), out.median = quantile(ranks, 0.5);
  out.high = quantile(ranks, 0.95), out.expert = quantile(experts, 0.5);
  out.placed = quantile(placed, 0.5), out.copied = quantile(copied, 0.5);
  out.dropped = std::max(0.0, 1 - kept / routingDraws);
  return out;
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
  if (of.part.capacity <= 0)
    return simulate::drawLoads(tokens * of.ranks, chances, draws);
  const double even = real(tokens) * real(of.part.active) / real(of.part.experts);
  const double most = capacityRows(even, of.part);
  std::vector<double> loads;
  for (std::size_t i = 0; i < chances.size(); ++i)
    loads.push_back(i > 0 && chances[i] == chances[i - 1]
                        ? loads.back()
                        : real(of.ranks) * simulate::expectedUpTo(most, tokens, chances[i]));
  return loads;
}

RoutedLoads dpl::cost::routedLoads(const Routed& of) {
  using Key = std::array<double, 7>;
  struct Known {
    Key key{};
    RoutedLoads loads;
  };
  static thread_local std::array<Known, 16> table;
  static thread_local std::size_t next = 0;
  const FeedForward& f = of.part;
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
  known = {key, drawn(of)};
  return known.loads;
}
