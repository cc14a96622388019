//===- LinkRows.cpp - The links of the network and the load of groups -------------------------===//
#include "cost/collectives/Torus.h"
#include "cost/network/LinkLoad.h"
#include "figures/Rows.h"

using namespace dpl;
using namespace dpl::figures;
using ir::LinkKind;
using ir::real;

namespace {
/// The block of a link type in DPL.
const char* fieldOf(LinkKind kind) {
  static constexpr const char* fields[] = {
      "cluster.domain", "cluster.nic", "cluster.nic_affinity", "cluster.network",
      "cluster.leaf",   "cluster.pod", "cluster.spine",        "cluster.site"};
  static_assert(std::size(fields) == static_cast<std::size_t>(LinkKind::Site) + 1);
  return fields[static_cast<std::size_t>(kind)];
}

const ir::LinkType& link(const FigureContext& f) {
  return f.cluster.network.links[f.instance->inner];
}
const ir::Group& group(const FigureContext& f) { return f.plan.groups[f.instance->index]; }
const ir::LinkLoad& load(const FigureContext& f) { return group(f).loads[f.instance->inner]; }
bool tapered(const ir::LinkType& link) { return link.bandwidth == 0; }
std::string figureOf(const ir::LinkType& link) { return "link[" + link.displayName() + "]"; }
} // namespace

Traced figures::linkCount(const FigureContext& f) {
  const double links = real(cost::bundleOf(f.cluster, link(f)).links);
  const bool inOrder = f.cluster.network.affinity.empty();
  if (tapered(link(f)) && links > 1)
    return f.declared(links, std::string(fieldOf(link(f).kind)) + ".uplinks");
  return link(f).kind == LinkKind::Port && inOrder ? f.declared(links, "cluster.nic.count")
                                                   : FigureContext::counted(links);
}

Traced figures::linkDevices(const FigureContext& f) {
  return FigureContext::counted(real(cost::bundleOf(f.cluster, link(f)).devices));
}

Traced figures::linkTaper(const FigureContext& f) {
  if (!tapered(link(f)))
    return FigureContext::none();
  return f.declared(link(f).taper, std::string(fieldOf(link(f).kind)) + ".oversubscription");
}

Traced figures::linkBandwidth(const FigureContext& f) {
  if (!tapered(link(f)))
    return f.declared(real(link(f).bandwidth) / 8,
                      std::string(fieldOf(link(f).kind)) +
                          (link(f).isDirect() ? ".direct_bandwidth" : ".bandwidth"));
  Traced enters = f("link[network].bandwidth") * f.ofInstance("devices");
  for (const ir::LinkType& inner : f.cluster.network.links)
    if (tapered(inner) && inner.kind < link(f).kind)
      enters = enters / f(figureOf(inner) + ".oversubscription");
  const Traced out = enters / f.ofInstance("oversubscription");
  return link(f).count > 1 ? out / f.ofInstance("count") : out;
}

Traced figures::loadRanks(const FigureContext& f) {
  return FigureContext::counted(real(load(f).ranks));
}
Traced figures::loadGroups(const FigureContext& f) {
  return FigureContext::counted(real(load(f).groups));
}

Traced figures::loadShare(const FigureContext& f) {
  const std::string links = figureOf(link(f));
  const Traced sharing = min(f.ofInstance("ranks") * f.ofInstance("groups"), f(links + ".devices"));
  // A neighbour is in one other unit: only one of the direct links carries its messages.
  if (link(f).isDirect())
    return f(links + ".bandwidth") / sharing;
  const Traced all = f(links + ".bandwidth") * f(links + ".count") / sharing;
  if (link(f).kind != LinkKind::ScaleUp || group(f).torus.empty())
    return all;
  return all * FigureContext::counted(cost::shareOfNeighbours(group(f).torus));
}

Traced figures::railsOfGroup(const FigureContext& f) {
  for (std::size_t i = 0; i < group(f).loads.size(); ++i)
    if (f.cluster.network.links[i].kind == LinkKind::Port)
      if (const auto rails = cost::railsOf(group(f), f.cluster, i))
        return FigureContext::counted(real(*rails));
  return FigureContext::none();
}
