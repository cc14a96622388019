//===- HostRows.cpp - Figures of offloaded tensors in host memory -----------------------------===//
#include "figures/Rows.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
constexpr const char* kinds[] = {"optimizer", "gradients", "parameters", "activations"};

Traced sumOf(const Facts& f, const std::string& prefix) {
  Sum sum;
  for (const char* kind : kinds)
    sum.plus(f(prefix + "." + kind));
  return sum.all;
}
} // namespace

Traced figures::offloadedBytes(const Facts& f, std::uint64_t cost::OffloadedBytes::*kind) {
  const std::uint64_t bytes = f.offloaded().empty() ? 0 : f.offloaded()[f.instance->index].*kind;
  return bytes == 0 ? Facts::none() : Facts::counted(real(bytes));
}

Traced figures::allOffloaded(const Facts& f) { return sumOf(f, f.instance->prefix + ".offloaded"); }

Traced figures::ofFullestNode(const Facts& f, const char* kind) {
  Sum sum;
  if (const auto node = cost::fullestNode(f.plan, f.offloaded()))
    for (const cost::FullestNode::Share& share : node->shares)
      sum.plus(real(share.devices),
               f(fmt::format("memory.rank[{}].offloaded.{}", share.rank, kind)));
  return sum.all;
}

Traced figures::onHost(const Facts& f) { return sumOf(f, "memory.host"); }

Traced figures::hostUsable(const Facts& f) {
  const auto node = cost::fullestNode(f.plan, f.offloaded());
  if (!node || node->memory == 0)
    return Facts::none();
  const ir::NodeClass& nodes = f.cluster.classes[node->nodeClass];
  return f.declared(real(node->memory),
                    nodes.hostMemory
                        ? fmt::format("cluster.node_pool[\"{}\"].node.memory", nodes.name)
                        : "cluster.node.memory");
}
