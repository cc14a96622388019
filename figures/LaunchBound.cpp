//===- LaunchBound.cpp - Time in which devices wait for the host to launch kernels ------------===//
#include "figures/LaunchBound.h"
#include "cost/step/ChunkRuns.h"
#include "figures/Figures.h"
#include <fmt/format.h>

using namespace dpl;

std::vector<double> figures::launchBoundOfRanks(const ir::Plan& plan) {
  const Figures figures(plan);
  std::vector<double> ranks(plan.mesh.size(ir::Axis::Pipeline));
  for (const ir::ChunkCost& cost : plan.costs) {
    if (cost.rank >= ranks.size())
      continue;
    const std::string stage = plan.layout.chunks > 1
                                  ? fmt::format("stage[{}.{}]", cost.rank, cost.chunk)
                                  : fmt::format("stage[{}]", cost.rank);
    for (const char* part : {".launch_bound", ".recompute_launch_bound"})
      ranks[cost.rank] += figures.value(stage + part).value_or(0) * cost::runsOf(plan, cost);
  }
  return ranks;
}
