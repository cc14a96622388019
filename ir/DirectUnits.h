#pragma once
//===- DirectUnits.h - Units that are joined without a switch ---------------------------------===//
//
// Each two leaves of a pod, or pods of a network, have links of their own, and messages take the
// shortest way: those between units over the links of the two. In a dragonfly the links to another
// pod begin at one of its leaves, which a message reaches over the links between leaves.
#include "ir/Cluster.h"

namespace dpl::ir {

class DirectUnits {
public:
  explicit DirectUnits(llvm::ArrayRef<LinkLevel> levels);
  /// Units of a level that a unit of the next one joins so; 0 where a switch does.
  std::uint64_t peers(std::size_t level) const { return level < joined.size() ? joined[level] : 0; }
  /// Over the links from one unit of a level to another.
  struct UnitHop {
    std::size_t level = 0;
    std::uint64_t from = 0, to = 0;
  };
  /// Of a message between two devices.
  using UnitHops = llvm::SmallVector<UnitHop, 4>;
  UnitHops hops(std::uint64_t from, std::uint64_t to) const;

private:
  llvm::SmallVector<std::uint64_t, linkLevelCount> devices, joined; ///< by level
};

} // namespace dpl::ir
