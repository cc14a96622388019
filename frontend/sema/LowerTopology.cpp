//===- LowerTopology.cpp - Lowers direct links, tori and ring orders of a cluster -------------===//
#include "frontend/sema/Lowering.h"
#include "ir/Arithmetic.h"
#include "support/diagnostics/Schema.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::sema;

namespace {
/// Reports a field whose value is not the required one.
class Refusal {
public:
  Refusal(Lowering& to, SourceRange at) : to(to), at(at) {}
  template <class Found>
  void operator()(const char* field, const std::string& needed, Found found) {
    if (!to.failed)
      to.diags.report<diag::OutsideRange>(at, field, needed, found);
    to.failed = true;
  }

private:
  Lowering& to;
  const SourceRange at;
};
} // namespace

void sema::lowerTorus(Lowering& to, const ObjectFields& fields) {
  ir::Cluster& cluster = to.plan.cluster;
  const ObjectFields domain = fields.object("domain");
  ir::Torus out{domain.counts("torus")};
  if (domain.failed())
    return;
  Refusal refused(to, domain.range("torus"));
  const ir::LinkType& link = cluster.network.links.back();
  const std::uint64_t devices = cluster.network.units.front().nodes * cluster.gpusPerNode;
  if (out.sizes.size() < 2 || out.sizes.size() > ir::mostDimensions)
    return refused("torus", "a list of 2 or 3 sizes", out.sizes.size());
  std::uint64_t all = 1;
  for (const std::uint64_t size : out.sizes) {
    if (size < 2 || size > devices)
      return refused("torus", fmt::format("from 2 to {} in each dimension", devices), size);
    all = all > devices ? all : all * size;
  }
  if (all != devices)
    return refused("torus", fmt::format("a grid of the {} devices of a domain", devices), all);
  if (link.inSwitch > 0)
    return refused("sharp_efficiency", "0 on a torus, which has no switch", link.inSwitch);
  if (link.peerLinks > 0)
    return refused("peer_links", "absent on a torus", link.peerLinks);
  if (fields.choice("collectives") == "nccl")
    return refused("collectives", "`closed_form` on a torus, for which NCCL has no rings", "nccl");
  cluster.network.torus = {std::move(out)};
}

void sema::lowerDirectLinks(Lowering& to, const ObjectFields& fields) {
  constexpr std::uint64_t mostUnits = 1024;
  ir::Network& network = to.plan.cluster.network;
  bool inner = false; // whether leaves have direct links among their nodes
  for (std::size_t i = 1; i < network.units.size(); ++i) {
    const ir::UnitKind& unit = network.units[i];
    const char* const field = unit.level == ir::Level::Leaf  ? "leaf"
                              : unit.level == ir::Level::Pod ? "pod"
                                                             : nullptr;
    if (!field)
      continue;
    const ObjectFields tier = fields.object(field);
    if (!tier.has("direct_bandwidth")) {
      if (inner)
        Refusal(to, tier.range("nodes"))("direct_bandwidth",
                                         "set, because direct links join the leaves", "none");
      continue;
    }
    inner = true;
    Refusal refused(to, tier.range("direct_bandwidth"));
    const std::uint64_t around = i + 1 < network.units.size() ? network.units[i + 1].nodes
                                                              : to.plan.cluster.nodes,
                        others = ir::ceilDiv(around, unit.nodes) - 1;
    const auto link =
        std::find_if(network.links.begin(), network.links.end(), [&](const ir::LinkType& l) {
          return l.kind == (unit.level == ir::Level::Leaf ? ir::LinkKind::Leaf : ir::LinkKind::Pod);
        });
    if (link->taper > 1)
      return refused("oversubscription", "1 with `direct_bandwidth`", link->taper);
    if (link->count > 1)
      return refused("uplinks", "1 with `direct_bandwidth`", link->count);
    if (others >= mostUnits)
      return refused("direct_bandwidth", fmt::format("set for at most {} units", mostUnits),
                     others + 1);
    if (network.find(ir::LinkKind::Network)->inSwitch > 0)
      return refused("sharp_efficiency", "0 in a network with `direct_bandwidth`", "more");
    link->bandwidth = tier.bitsPerSecond("direct_bandwidth"),
    link->count = std::max<std::uint64_t>(others, 1);
    if (tier.failed())
      return;
    if (link->bandwidth == 0)
      return refused("direct_bandwidth", "above 0", 0);
  }
  if (const ir::LinkType* top = network.find(ir::LinkKind::Spine); inner && top->taper > 1)
    Refusal(to, fields.range("spine"))(
        "spine", "absent where `direct_bandwidth` links join the outermost units", top->taper);
}

void sema::lowerRingOrder(Lowering& to, const ObjectFields& rings) {
  const ir::Cluster& cluster = to.plan.cluster;
  std::vector<std::uint64_t> order = rings.counts("order");
  if (rings.failed())
    return;
  Refusal refused(to, rings.range("order"));
  const std::uint64_t count = order.size(), each = cluster.gpusPerNode;
  if (count < 2 || count % each != 0 || count > cluster.devices())
    return refused("order",
                   fmt::format("a list of the devices of 1 to {} nodes with {} devices each",
                               cluster.nodes, each),
                   count);
  std::vector<bool> seen(count, false);
  for (const std::uint64_t device : order) {
    if (device >= count || seen[device])
      return refused("order", fmt::format("a list with each of 0 to {} once", count - 1), device);
    seen[device] = true;
  }
  to.plan.cluster.network.order = std::move(order);
}
