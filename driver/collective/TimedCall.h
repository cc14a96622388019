#pragma once
//===- TimedCall.h - A collective that was timed alone ----------------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl::score {

/// One collective that was timed alone.
struct CollectiveTiming {
  ir::CollectiveKind kind = ir::CollectiveKind::AllReduce;
  std::uint64_t ranks = 0, nodes = 0;
  std::uint64_t bytes = 0; ///< as nccl-tests counts: the whole buffer of a rank
  double seconds = 0;      ///< out of place
  SourceRange where;
  std::uint64_t ofThread = 0; ///< devices that one thread launched on; 0: unsaid
};

/// A collective that was timed, and the links that it ran over.
struct MeasuredCollective {
  CollectiveTiming measured;
  ir::LinkLevels links;                                        ///< that it has to itself
  llvm::SmallVector<std::uint64_t, ir::linkLevelCount> inside; ///< as Group::inside
  std::vector<ir::TorusRanks> torus = {};                      ///< as Group::torus
  std::vector<std::uint64_t> order = {};                       ///< as Group::order
  std::uint64_t ofNode = 1;                                    ///< its ranks in a node
  double launch = 0;                                           ///< s, of the harness
  std::optional<ir::Algorithm> algorithm = {};                 ///< the library was told to use
};

} // namespace dpl::score
