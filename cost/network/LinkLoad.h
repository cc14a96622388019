#pragma once
//===- LinkLoad.h - The load of groups on the links of the network ----------------------------===//
//
// Loads are computed from counts: the strides of a group, and the devices that share links. Of
// groups of opposite ranks the outermost pair counts, whose members are farthest apart.
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace dpl::cost {

/// Ranks of one group inside one unit of `unit` consecutive devices, equal for all groups. If
/// groups do not align with units (16 consecutive ranks in units of 72), this is the largest number
/// that divides both.
std::uint64_t ranksInside(llvm::ArrayRef<ir::Stride> strides, std::uint64_t unit);

/// Consecutive devices that share links of a type: two devices per port, or all devices of a leaf
/// for its uplinks.
struct Bundle {
  std::uint64_t devices = 1, links = 1;
};
Bundle bundleOf(const ir::Cluster& cluster, const ir::LinkType& link);

/// The link type, by index into Network::links, with the least bandwidth per device for traffic
/// over a level of Cluster::levels, while all devices send to `units` units at once: ports of these
/// node types, the network after them, or the links out of a unit. The innermost of equal ones.
std::size_t narrowestLink(const ir::Cluster& cluster, llvm::ArrayRef<std::uint64_t> classes,
                          std::size_t level, std::uint64_t units = 1);
/// Whether traffic over a level of Cluster::levels uses links of this type, because it leaves the
/// units that have them.
bool carries(const ir::Cluster& cluster, const ir::LinkType& link, std::size_t level);

/// The loads of a group by Network::links; empty for a group of one rank. Relies on: the strides
/// and the size of the group.
std::vector<ir::LinkLoad> linkLoads(const ir::Group& group, const ir::Cluster& cluster);

/// Number of different ports of a node, by position, that one group uses: 1 if it stays on its
/// rail. Nothing for a group without ports of this type, and for nodes of more than 1024 devices.
std::optional<std::uint64_t> railsOf(const ir::Group& group, const ir::Cluster& cluster,
                                     std::size_t port);

} // namespace dpl::cost
