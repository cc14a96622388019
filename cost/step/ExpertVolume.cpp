//===- ExpertVolume.cpp - Tokens that ranks send to experts -----------------------------------===//
#include "cost/step/ExpertVolume.h"
#include "cost/compute/LayerCost.h"
#include "cost/compute/Routing.h"
#include "cost/step/RoutedPrograms.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;

ExpertVolume dpl::cost::expertVolume(const ir::Plan& plan, std::uint64_t seed) {
  const auto layer =
      std::find_if(plan.model.layerTypes.begin(), plan.model.layerTypes.end(), [](const auto& c) {
        return c.feedForward.popularity != ir::PopularityKind::Even;
      });
  assert(layer != plan.model.layerTypes.end() && "tokens choose by chance");
  const ir::FeedForward& part = layer->feedForward;
  const cost::Division division = cost::divisionOf(plan);
  simulate::Draws ofLayer({seed, RoutedPrograms::ofPopularity, 0, 0});
  const std::vector<double> chances = drawChances(cost::routingOf(part), ofLayer);
  ExpertVolume out;
  out.experts.assign(chances.size(), 0), out.ranks.assign(division.expert, 0);
  for (std::uint64_t rank = 0; rank < division.expert; ++rank) {
    simulate::Draws ofRank({seed, RoutedPrograms::ofSenders, static_cast<std::uint32_t>(rank), 0});
    const std::vector<double> loads =
        cost::loadsOf({part, 1, cost::routedTokens(division)}, chances, ofRank);
    out.sent.push_back(simulate::loadsOfUnits(loads, division.expert));
    for (std::size_t expert = 0; expert < loads.size(); ++expert)
      out.experts[expert] += loads[expert];
    for (std::size_t to = 0; to < division.expert; ++to)
      out.ranks[to] += out.sent.back()[to];
  }
  return out;
}
