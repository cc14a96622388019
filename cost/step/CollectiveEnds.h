#pragma once
//===- CollectiveEnds.h - The ranks of a collective and the links between them ----------------===//
#include "cost/collectives/Algorithm.h"
#include "cost/network/RankLinks.h"

namespace dpl::cost {

/// The ranks of one group, or two pipeline ranks, and the links between them.
struct CollectiveEnds {
  llvm::SmallVector<std::uint64_t, ir::linkLevelCount> inside; ///< ranks per unit, as Group::inside
  ir::LinkLevels levels;
  cost::NodeTypeList nodeTypes;
  std::vector<ir::TorusRanks> torus; ///< ranks per dimension, as Group::torus
  std::vector<std::uint64_t> order;  ///< ring order, as Group::order
  cost::GroupShape shape() const { return {inside, torus, order}; }
};

/// The ends of a collective. A message goes to the next or to the previous stage of its chunk; its
/// ends are the two ranks whose links give its time.
CollectiveEnds endsOf(const ir::Plan& plan, const ir::Collective& c);

} // namespace dpl::cost
