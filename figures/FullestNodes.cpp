//===- FullestNodes.cpp - The fullest node of each node type ----------------------------------===//
#include "figures/FullestNodes.h"
#include "ir/Arithmetic.h"
#include "ir/NodeMemory.h"
#include <algorithm>
#include <numeric>
#include <tuple>

using namespace dpl;
using namespace dpl::figures;
using namespace dpl::ir;

namespace {
/// Orders nodes. The fullest one is a node that does not fit, else one without a stated memory,
/// else the one with the least memory left. Among nodes without a stated memory it is the one that
/// needs most. Nodes that hold nothing come last.
bool isFuller(const FullestNode& a, const FullestNode& b) {
  const auto rank = [](const FullestNode& n) {
    return std::tuple(n.needed == 0, n.fits(), n.memory != 0, real(n.memory) - real(n.needed));
  };
  return rank(a) < rank(b);
}
} // namespace

std::vector<FullestNode> figures::fullestNodes(const Plan& plan,
                                               const std::vector<OffloadedBytes>& of) {
  std::vector<FullestNode> all;
  if (of.empty())
    return all;
  const MeshAxis& pipeline = *plan.mesh.find(Axis::Pipeline);
  const std::uint64_t devices = plan.cluster.gpusPerNode;
  // The placement of pipeline ranks on nodes repeats after this many nodes.
  const std::uint64_t alike = std::lcm(pipeline.stride * pipeline.size, devices) / devices;
  std::uint64_t first = 0;
  for (std::uint64_t c = 0; c < plan.cluster.classes.size(); ++c) {
    const NodeClass& nodes = plan.cluster.classes[c];
    for (std::uint64_t node = first; node < first + std::min(nodes.nodes, alike); ++node) {
      FullestNode one{node, c, 0, hostMemoryOf(plan.cluster, nodes), {}};
      for (std::uint64_t d = node * devices, end = d + devices; d < end;) {
        const std::uint64_t rank = d / pipeline.stride % pipeline.size,
                            next = std::min(end, (d / pipeline.stride + 1) * pipeline.stride);
        one.shares.push_back({rank, next - d});
        one.needed += (next - d) * of[rank].all();
        d = next;
      }
      if (all.size() == c)
        all.push_back(std::move(one));
      else if (isFuller(one, all.back()))
        all.back() = std::move(one);
    }
    first += nodes.nodes;
  }
  return all;
}

std::optional<FullestNode> figures::fullestNode(const Plan& plan,
                                                const std::vector<OffloadedBytes>& of) {
  std::vector<FullestNode> all = fullestNodes(plan, of);
  const auto fullest = std::min_element(all.begin(), all.end(), isFuller);
  return fullest != all.end() && fullest->needed > 0 ? std::optional(std::move(*fullest))
                                                     : std::nullopt;
}

std::optional<FullestNode> figures::fullestNode(const Plan& plan) {
  return fullestNode(plan, offloadedOf(plan));
}
