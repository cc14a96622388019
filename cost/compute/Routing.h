#pragma once
//===- Routing.h - How busy tokens that choose by chance make the ranks of experts ------------===//
#include "ir/Model.h"
#include "support/math/TokenRouting.h"

namespace dpl::cost {

/// The ranks that divide the experts of a layer, and the tokens of a micro-batch that each of them
/// routes.
struct Routed {
  const ir::FeedForward& feedForward;
  std::uint64_t ranks = 1;
  double tokens = 0;
};
simulate::TokenRouting routingOf(const ir::FeedForward& f);

/// What each expert is sent, of choices that are drawn and where there is no capacity counted; with
/// one, expected of so many tokens of each rank, of which an expert takes no more than that.
std::vector<double> loadsOf(const Routed& of, const std::vector<double>& chances,
                            simulate::Draws& draws);

/// Of `routingDraws` layers whose popularity and choices are drawn. Loads are over the mean without
/// a capacity.
struct RoutedLoads {
  double low = 1, median = 1, high = 1; ///< of the busiest rank: 5, 50 and 95 %
  double expert = 1;                    ///< of the busiest expert: 50 %
  double dropped = 0;                   ///< mean share of the choices that a capacity drops
};
/// Median loads, over the mean, of the busiest rank of the same layers with experts placed
/// otherwise. They are computed apart from RoutedLoads, because no estimate needs them and they
/// take most of the time.
struct RebalancedLoads {
  double placed = 1; ///< experts are placed by their loads
  double copied = 1; ///< in addition each rank has a copy of one of the busiest experts
};
constexpr std::uint32_t routingDraws = 501;
/// Both functions keep the last few results of each thread. Equal arguments always give equal
/// results.
RoutedLoads routedLoads(const Routed& of);
RebalancedLoads rebalancedLoads(const Routed& of);

} // namespace dpl::cost
