//===- RoutingRows.cpp - Expert load if tokens choose at random -------------------------------===//
#include "figures/Rows.h"

using namespace dpl;
using namespace dpl::figures;

namespace {
/// The result of `use` for the first layer type with random routing.
template <class Use> Traced ofRouted(const FigureContext& f, const Use& use) {
  for (const ir::LayerType& layer : f.model.layerTypes)
    if (const ir::FeedForward& part = layer.feedForward;
        part.popularity != ir::PopularityKind::Even) {
      const cost::Division division = cost::divisionOf(f.plan);
      return use(cost::Routed{part, division.expert, cost::routedTokens(division)});
    }
  return FigureContext::none();
}
} // namespace

Traced figures::routedLoad(const FigureContext& f, double cost::RoutedLoads::*of) {
  return ofRouted(f, [&](const cost::Routed& routed) {
    if (of == &cost::RoutedLoads::dropped && routed.feedForward.capacity <= 0)
      return FigureContext::none();
    return FigureContext::counted(cost::routedLoads(routed).*of);
  });
}

Traced figures::rebalancedLoad(const FigureContext& f, double cost::RebalancedLoads::*of) {
  return ofRouted(f, [&](const cost::Routed& routed) {
    return FigureContext::counted(cost::rebalancedLoads(routed).*of);
  });
}
