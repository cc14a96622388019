#pragma once
//===- TimedCall.h - A timed collective without other traffic ---------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl::score {

/// The time of one collective without other traffic.
struct CollectiveTiming {
  ir::CollectiveKind kind = ir::CollectiveKind::AllReduce;
  std::uint64_t ranks = 0, nodes = 0;
  std::uint64_t bytes = 0; ///< whole buffer of a rank, as in nccl-tests
  double seconds = 0;      ///< out-of-place time
  SourceRange where;
  std::uint64_t ofThread = 0; ///< devices per launching thread; 0: unknown
};

/// A timed collective, and the links that it used.
struct MeasuredCollective {
  CollectiveTiming measured;
  ir::LinkLevels links;                                        ///< links without other traffic
  llvm::SmallVector<std::uint64_t, ir::linkLevelCount> inside; ///< as Group::inside
  std::vector<ir::TorusRanks> torus = {};                      ///< as Group::torus
  std::vector<std::uint64_t> order = {};                       ///< as Group::order
  std::uint64_t ofNode = 1;                                    ///< its ranks per node
  double launch = 0;                                           ///< launch time of the harness, s
  std::optional<ir::Algorithm> algorithm = {};                 ///< algorithm that was set
};

} // namespace dpl::score
