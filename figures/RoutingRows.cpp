//===- RoutingRows.cpp - How tokens that choose by chance load the ranks of experts -----------===//
#include "figures/Rows.h"

using namespace dpl;
using namespace dpl::figures;

namespace {
/// The rebalanced loads of the first layer with random routing.
template <class Use> Traced ofRouted(const Facts& f, const Use& use) {
  for (const ir::LayerClass& layer : f.model.classes)
    if (const ir::FeedForward& part = layer.feedForward;
        part.popularity != ir::PopularityKind::Even) {
      const cost::Division division = cost::divisionOf(f.plan);
      return use(cost::Routed{part, division.expert, cost::ownTokens(division)});
    }
  return Facts::none();
}
} // namespace

Traced figures::routedLoad(const Facts& f, double cost::RoutedLoads::*of) {
  return ofRouted(f, [&](const cost::Routed& routed) {
    if (of == &cost::RoutedLoads::dropped && routed.part.capacity <= 0)
      return Facts::none();
    return Facts::counted(cost::routedLoads(routed).*of);
  });
}

Traced figures::rebalancedLoad(const Facts& f, double cost::RebalancedLoads::*of) {
  return ofRouted(f, [&](const cost::Routed& routed) {
    return Facts::counted(cost::rebalancedLoads(routed).*of);
  });
}
