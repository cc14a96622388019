//===- HostRows.cpp - Figures of offloaded tensors in host memory -----------------------------===//
#include "figures/Rows.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
constexpr const char* kinds[] = {"optimizer", "gradients", "parameters", "activations"};

Traced sumOf(const FigureContext& f, const std::string& prefix) {
  TracedSum sum;
  for (const char* kind : kinds)
    sum.plus(f(prefix + "." + kind));
  return sum.all;
}
} // namespace

Traced figures::offloadedBytes(const FigureContext& f, std::uint64_t cost::OffloadedBytes::*kind) {
  const std::uint64_t bytes = f.offloaded().empty() ? 0 : f.offloaded()[f.instance->index].*kind;
  return bytes == 0 ? FigureContext::none() : FigureContext::counted(real(bytes));
}

Traced figures::allOffloaded(const FigureContext& f) {
  return sumOf(f, f.instance->prefix + ".offloaded");
}

Traced figures::ofFullestNode(const FigureContext& f, const char* kind) {
  TracedSum sum;
  if (const auto node = cost::fullestNode(f.plan, f.offloaded()))
    for (const cost::FullestNode::Share& share : node->shares)
      sum.plus(real(share.devices),
               f(fmt::format("memory.rank[{}].offloaded.{}", share.rank, kind)));
  return sum.all;
}

Traced figures::onHost(const FigureContext& f) { return sumOf(f, "memory.host"); }

Traced figures::hostUsable(const FigureContext& f) {
  const auto node = cost::fullestNode(f.plan, f.offloaded());
  if (!node || node->memory == 0)
    return FigureContext::none();
  const ir::NodeType& nodes = f.cluster.nodeTypes[node->nodeType];
  return f.declared(real(node->memory),
                    nodes.hostMemory
                        ? fmt::format("cluster.node_pool[\"{}\"].node.memory", nodes.name)
                        : "cluster.node.memory");
}
