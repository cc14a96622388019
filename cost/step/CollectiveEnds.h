#pragma once
//===- CollectiveEnds.h - Who is at the ends of a collective, and the links between them ------===//
#include "cost/collectives/Algorithm.h"
#include "cost/network/RankLinks.h"

namespace dpl::cost {

/// Ranks of one group, or two of the pipeline, and the links between them, as the passes see them.
struct CollectiveEnds {
  llvm::SmallVector<std::uint64_t, ir::linkLevelCount> inside; ///< as Group::inside
  ir::LinkLevels levels;
  cost::NodeTypeList nodeTypes;
  std::vector<ir::TorusRanks> torus; ///< as Group::torus
  std::vector<std::uint64_t> order;  ///< as Group::order
  cost::GroupShape shape() const { return {inside, torus, order}; }
};

/// A message goes to the stage after its chunk's or to the one before: the one whose links give its
/// time.
CollectiveEnds endsOf(const ir::Plan& plan, const ir::Collective& c);

} // namespace dpl::cost
