#pragma once
//===- Routing.h - Expert load if tokens choose at random -------------------------------------===//
#include "ir/Model.h"
#include "support/math/TokenRouting.h"

namespace dpl::cost {

/// The ranks that divide the experts of a layer, and the tokens of a micro-batch on each of them.
struct Routed {
  const ir::FeedForward& feedForward;
  std::uint64_t ranks = 1;
  double tokens = 0;
};
simulate::TokenRouting routingOf(const ir::FeedForward& f);

/// Tokens for each expert. Without a capacity they are counted from random choices. With a capacity
/// they are the expected numbers per rank, cut off at the capacity.
std::vector<double> loadsOf(const Routed& of, const std::vector<double>& chances,
                            simulate::Draws& draws);

/// Statistics of `routingDraws` layers with random popularity and choices, divided by the mean load
/// without a capacity.
struct RoutedLoads {
  double low = 1, median = 1, high = 1; ///< load of the busiest rank: 5, 50 and 95 % quantiles
  double expert = 1;                    ///< load of the busiest expert: median
  double dropped = 0;                   ///< mean share of the choices that a capacity drops
};
/// Median load of the busiest rank, divided by the mean, if experts are placed differently. It is
/// separate from RoutedLoads, because no estimate needs it and it takes most of the time.
struct RebalancedLoads {
  double placed = 1; ///< load if experts are placed by their loads
  double copied = 1; ///< load if each rank also has a copy of one of the busiest experts
};
constexpr std::uint32_t routingDraws = 501;
/// Both functions keep the last few results of each thread. Equal arguments always give equal
/// results.
RoutedLoads routedLoads(const Routed& of);
RebalancedLoads rebalancedLoads(const Routed& of);

} // namespace dpl::cost
