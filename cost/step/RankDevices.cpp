//===- RankDevices.cpp - The devices of each pipeline rank ------------------------------------===//
#include "cost/step/RankDevices.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;

namespace {
/// Number of devices of a pipeline rank among the first `end` devices. Ranks are consecutive blocks
/// of `stride` devices, and a pipeline has `ranks` blocks.
std::uint64_t below(std::uint64_t end, std::uint64_t rank, std::uint64_t stride,
                    std::uint64_t ranks) {
  const std::uint64_t pipeline = stride * ranks, left = end % pipeline, first = rank * stride;
  return end / pipeline * stride + (left > first ? std::min(left - first, stride) : 0);
}
} // namespace

std::vector<RankDevices> cost::rankDevicesOf(const ir::Plan& plan) {
  const ir::MeshAxis& pipeline = *plan.mesh.find(ir::Axis::Pipeline);
  std::vector<std::uint64_t> ends = {0};
  for (const ir::NodeType& c : plan.cluster.nodeTypes)
    ends.push_back(ends.back() + c.nodes * plan.cluster.gpusPerNode);
  std::vector<RankDevices> out;
  for (const ir::RankNodeTypes& rankNodeTypes : plan.mesh.rankNodeTypes)
    for (std::uint64_t rank = rankNodeTypes.first; rank < rankNodeTypes.first + rankNodeTypes.count;
         ++rank)
      for (const std::uint64_t c : rankNodeTypes.nodeTypes)
        out.push_back({rank, c,
                       below(ends[c + 1], rank, pipeline.stride, pipeline.size) -
                           below(ends[c], rank, pipeline.stride, pipeline.size)});
  return out;
}
