//===- InnerReduction.cpp - Reductions of gradients inside a unit of devices ------------------===//
#include "cost/step/InnerReduction.h"
#include "cost/collectives/CollectiveCost.h"
#include "cost/network/RankLinks.h"
#include "ir/Arithmetic.h"

using namespace dpl;
using namespace dpl::ir;

double cost::innerReduction(const Plan& plan, Level within) {
  double all = 0;
  for (const Collective& c : plan.collectives) {
    if (c.purpose != CollectivePurpose::GradientReduce)
      continue;
    const Group& group = plan.groups[c.group];
    std::vector<std::uint64_t> inside = group.inside;
    for (std::uint64_t& ranks : inside)
      ranks = std::min(ranks, plan.cluster.devicesIn(within));
    const LinkLevels links = cost::levelsFor(plan, c.purpose, group, c.rank);
    const double seconds = cost::collectiveCost(c.kind, real(c.bytes), {inside}, links).seconds;
    all += real(toPicoseconds(seconds)) * real(c.count);
  }
  return all;
}
