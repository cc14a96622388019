//===- LowerTopology.cpp - Where devices stand among their links, from a cluster's fields -----===//
#include "frontend/sema/LowerTopology.h"
#include "support/diagnostics/Schema.h"

using namespace dpl;
using namespace dpl::sema;

namespace {
/// Reports what a field must be and is.
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

void sema::lowerTorus(Lowering& to, const Fields& fields) {
  ir::Cluster& cluster = to.plan.cluster;
  const Fields domain = fields.object("domain");
  ir::Torus out{domain.counts("torus")};
  if (domain.failed())
    return;
  Refusal refused(to, domain.range("torus"));
  const ir::LinkClass& link = cluster.network.links.back();
  const std::uint64_t devices = cluster.network.units.front().nodes * cluster.gpusPerNode;
  if (out.sizes.size() < 2 || out.sizes.size() > ir::mostDimensions)
    return refused("torus", "2 or 3 dimensions", out.sizes.size());
  std::uint64_t all = 1;
  for (const std::uint64_t size : out.sizes) {
    if (size < 2 || size > devices)
      return refused("torus", fmt::format("from 2 to {} in each dimension", devices), size);
    all = all > devices ? all : all * size;
  }
  if (all != devices)
    return refused("torus", fmt::format("for the {} devices of a domain", devices), all);
  if (link.inSwitch > 0)
    return refused("in_switch", "0 on a torus, which has no switch", link.inSwitch);
  if (link.peerLinks > 0)
    return refused("peer_links", "absent on a torus", link.peerLinks);
  if (fields.choice("collectives") == "nccl")
    return refused("collectives", "`closed_form` on a torus, for which NCCL has no rings", "nccl");
  cluster.network.torus = {std::move(out)};
}

void sema::lowerRingOrder(Lowering& to, const Fields& rings) {
  const ir::Cluster& cluster = to.plan.cluster;
  std::vector<std::uint64_t> order = rings.counts("order");
  if (rings.failed())
    return;
  Refusal refused(to, rings.range("order"));
  const std::uint64_t count = order.size(), each = cluster.gpusPerNode;
  if (count < 2 || count % each != 0 || count > cluster.devices())
    return refused(
        "order", fmt::format("of the {} devices of one node or several of {}", each, cluster.nodes),
        count);
  std::vector<bool> seen(count, false);
  for (const std::uint64_t device : order) {
    if (device >= count || seen[device])
      return refused("order", fmt::format("each of 0 to {} once", count - 1), device);
    seen[device] = true;
  }
  to.plan.cluster.network.order = std::move(order);
}
