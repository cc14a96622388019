//===- LinkUse.cpp - The load of a step on each link type of the network ----------------------===//
#include "cost/step/LinkUse.h"
#include "cost/network/LinkLoad.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
using namespace dpl;
using namespace dpl::cost;
using ir::LinkKind;
using ir::LinkType;
using ir::real;

namespace {
/// Bytes/s of one link of each type. A tapered link has what its devices have in the network,
/// divided by the oversubscription up to it.
std::vector<double> bandwidthsOf(const ir::Cluster& cluster) {
  const LinkType* network = cluster.network.find(LinkKind::Network);
  std::vector<double> out;
  double taper = 1;
  for (const LinkType& link : cluster.network.links) {
    if (link.bandwidth > 0 || !network) {
      out.push_back(real(link.bandwidth) / 8);
      continue;
    }
    taper *= link.taper;
    const Bundle bundle = bundleOf(cluster, link);
    out.push_back(real(network->bandwidth) / 8 / taper * real(bundle.devices) / real(bundle.links));
  }
  return out;
}

bool isThere(const ir::Cluster& cluster, std::size_t link) {
  return cluster.network.links[link].kind != LinkKind::Port ||
         llvm::any_of(cluster.nodeTypes,
                      [&](const ir::NodeType& nodes) { return nodes.ports == link; });
}

/// The link levels whose traffic links of a type carry.
std::vector<std::size_t> levelsOf(const ir::Cluster& cluster, const LinkType& link) {
  std::vector<std::size_t> out;
  for (std::size_t level = 0; level < cluster.levels.size(); ++level)
    if (carries(cluster, link, level))
      out.push_back(level);
  return out;
}

/// Number of consecutive pipeline ranks among `devices` consecutive devices.
std::uint64_t ranksOf(const ir::Plan& plan, std::uint64_t devices) {
  const ir::MeshAxis* pipeline = plan.mesh.find(ir::Axis::Pipeline);
  return pipeline ? std::clamp<std::uint64_t>(devices / pipeline->stride, 1, pipeline->size) : 1;
}

/// The load on links that devices of some ranks share; `together` is the number of these ranks.
/// `all` has the rows of every rank.
LinkUse busiestOf(const ir::Plan& plan, llvm::ArrayRef<Traffic> all, std::size_t link,
                  double bandwidth) {
  const LinkType& type = plan.cluster.network.links[link];
  const Bundle bundle = bundleOf(plan.cluster, type);
  const std::uint64_t together = ranksOf(plan, bundle.devices);
  const std::vector<std::size_t> levels = levelsOf(plan.cluster, type);
  // The users of each set of ranks that share links.
  std::vector<LinkUse> sets((plan.placement.ranks + together - 1) / together);
  for (const Traffic& row : all) {
    double sent = 0; // by the mean of the ranks that share links
    for (const std::size_t level : levels)
      sent += row.perLevel[level];
    sent /= real(together);
    LinkUse& use = sets[row.rank / together];
    if (sent == 0)
      continue;
    use.sent += sent;
    const auto known = llvm::find_if(
        use.users, [&](const LinkUser& user) { return isSameRow(user.traffic, row); });
    if (known == use.users.end())
      use.users.push_back({row, sent});
    else
      known->sent += sent;
  }
  const auto most = std::max_element(
      sets.begin(), sets.end(), [](const LinkUse& a, const LinkUse& b) { return a.sent < b.sent; });
  LinkUse out = std::move(*most);
  out.link = link, out.devices = bundle.devices, out.count = bundle.links;
  out.rank = static_cast<std::uint64_t>(most - sets.begin()) * together;
  out.bandwidth = bandwidth, out.levels = levels;
  out.sent *= real(bundle.devices) / real(std::max<std::uint64_t>(bundle.links, 1));
  llvm::stable_sort(out.users,
                    [](const LinkUser& a, const LinkUser& b) { return a.sent > b.sent; });
  return out;
}
} // namespace

std::vector<LinkUse> cost::linkUseOf(const ir::Plan& plan) {
  const std::vector<LinkType>& links = plan.cluster.network.links;
  const std::vector<Traffic> rows = trafficOfRanks(plan);
  const std::vector<double> bandwidths = bandwidthsOf(plan.cluster);
  std::vector<LinkUse> out;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (!isThere(plan.cluster, i))
      continue;
    LinkUse use = busiestOf(plan, rows, i, bandwidths[i]);
    const bool limited =
        links[i].kind == LinkKind::Network && llvm::any_of(out, [&](const LinkUse& other) {
          return links[other.link].kind == LinkKind::Port && other.busy() >= use.busy();
        });
    if (use.sent > 0 && !limited)
      out.push_back(std::move(use));
  }
  llvm::stable_sort(out, [](const LinkUse& a, const LinkUse& b) { return a.busy() > b.busy(); });
  return out;
}
