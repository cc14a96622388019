//===- RelativeTimes.cpp - Computing times of devices relative to the slowest of their rank ---===//
#include "cost/compute/RelativeTimes.h"
#include "cost/compute/ChunkEstimate.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using ir::real;

namespace {
/// By pipeline rank, ps of one micro-batch on devices of these node types.
std::vector<double> timesOf(const ir::Plan& plan, const ChunkEstimate& estimate) {
  std::vector<double> out(plan.placement.ranks);
  for (const ir::Chunk& chunk : plan.chunks) {
    const ir::ChunkCost cost = estimate.of(chunk);
    out[chunk.rank] +=
        real(cost.forward + cost.backwardInput + cost.backwardWeight + cost.recompute);
  }
  return out;
}
} // namespace

RelativeTimes::RelativeTimes(const ir::Plan& plan) {
  const auto& types = plan.cluster.nodeTypes;
  if (std::all_of(plan.mesh.rankNodeTypes.begin(), plan.mesh.rankNodeTypes.end(),
                  [](const ir::RankNodeTypes& ranks) { return ranks.nodeTypes.size() == 1; }))
    return;
  for (const ir::NodeType& type : types)
    ends.push_back((ends.empty() ? 0 : ends.back()) + type.nodes * plan.cluster.gpusPerNode);
  const std::vector<double> slowest = timesOf(plan, ChunkEstimate(plan));
  std::vector<std::vector<double>> found(slowest.size(), std::vector<double>(types.size(), 1));
  bool faster = false;
  for (std::uint64_t type = 0; type < types.size(); ++type) {
    const ir::RankNodeTypes alone{0, plan.placement.ranks, {type}};
    const std::vector<double> times = timesOf(plan, ChunkEstimate(plan, alone));
    for (std::size_t rank = 0; rank < times.size(); ++rank)
      if (times[rank] < slowest[rank])
        found[rank][type] = times[rank] / slowest[rank], faster = true;
  }
  if (faster)
    byRank = std::move(found);
}

double RelativeTimes::of(std::uint64_t pipelineRank, std::uint64_t device) const {
  if (byRank.empty())
    return 1;
  const auto type = std::upper_bound(ends.begin(), ends.end(), device) - ends.begin();
  return byRank[pipelineRank][static_cast<std::size_t>(type)];
}
