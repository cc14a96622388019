#pragma once
//===- LinkLoad.h - What groups put on the links of the network -------------------------------===//
//
// Arithmetic on counts: the strides of a group against the devices that share links. Of groups over
// opposite ranks it is that of the outermost two, whose members are farthest apart.
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace dpl::cost {

/// Ranks of one group inside one unit of `unit` consecutive devices, the same for every group:
/// where groups lie unevenly (16 consecutive ranks in units of 72), the largest count that divides
/// both.
std::uint64_t ranksInside(llvm::ArrayRef<ir::Stride> strides, std::uint64_t unit);

/// Consecutive devices that send over the same links of a class: two over one port, all of a leaf
/// over the links out of it.
struct Bundle {
  std::uint64_t devices = 1, links = 1;
};
Bundle bundleOf(const ir::Cluster& cluster, const ir::LinkType& link);

/// The class, by index into Network::links, that gives a device least of what it sends over a level
/// of Cluster::levels while all send, to so many units at once: ports of these classes of nodes,
/// what the network has behind them, or the links out of a unit that it leaves. Of equals the
/// innermost.
std::size_t narrowestLink(const ir::Cluster& cluster, llvm::ArrayRef<std::uint64_t> classes,
                          std::size_t level, std::uint64_t units = 1);
/// Whether what is sent over a level of Cluster::levels goes through links of a class: it leaves
/// the units that have them.
bool carries(const ir::Cluster& cluster, const ir::LinkType& link, std::size_t level);

/// The loads of a group by Network::links; none of a group of one rank. Needs its strides and size.
std::vector<ir::LinkLoad> linkLoads(const ir::Group& group, const ir::Cluster& cluster);

/// Ports of a node, by their place in it, that one group sends through: 1 stays on its rail.
/// Nothing for a group that uses no port of this class, and for nodes of more than 1024 devices.
std::optional<std::uint64_t> railsOf(const ir::Group& group, const ir::Cluster& cluster,
                                     std::size_t port);

} // namespace dpl::cost
