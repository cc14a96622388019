//===- RoutingRows.cpp - How tokens that choose by chance load the ranks of experts -----------===//
#include "figures/Rows.h"

using namespace dpl;
using namespace dpl::figures;

Traced figures::routedLoad(const Facts& f, double cost::RoutedLoads::*of) {
  for (const ir::LayerClass& layer : f.model.classes) {
    const ir::FeedForward& part = layer.feedForward;
    if (part.popularity == ir::PopularityKind::Even)
      continue;
    if (of == &cost::RoutedLoads::dropped && part.capacity <= 0)
      return Facts::none();
    const cost::Division division = cost::divisionOf(f.plan);
    return Facts::counted(cost::routedLoads({part, division.expert, cost::ownTokens(division)}).*
                          of);
  }
  return Facts::none();
}
