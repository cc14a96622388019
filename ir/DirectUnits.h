#pragma once
//===- DirectUnits.h - Units connected without a switch ---------------------------------------===//
//
// Every two leaves of a pod, or every two pods of a network, have direct links, and messages take
// the shortest path over the links of both units. In a dragonfly the links from one pod to another
// start at one leaf of the pod, which a message reaches over the links between leaves.
#include "ir/Cluster.h"

namespace dpl::ir {

class DirectUnits {
public:
  explicit DirectUnits(llvm::ArrayRef<LinkLevel> levels);
  /// Number of units of a level that are directly connected in a unit of the next level; 0 with a
  /// switch.
  std::uint64_t peers(std::size_t level) const { return level < joined.size() ? joined[level] : 0; }
  /// A hop over the links from one unit of a level to another.
  struct UnitHop {
    std::size_t level = 0;
    std::uint64_t from = 0, to = 0;
  };
  /// The hops of a message between two devices.
  using UnitHops = llvm::SmallVector<UnitHop, 4>;
  UnitHops hops(std::uint64_t from, std::uint64_t to) const;

private:
  llvm::SmallVector<std::uint64_t, linkLevelCount> devices,
      joined; ///< by level: devices of a unit, peers
};

} // namespace dpl::ir
