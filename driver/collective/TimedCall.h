#pragma once
//===- TimedCall.h - A timed collective without other traffic ---------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl::score {

/// The time of one collective without other traffic.
struct CollectiveTiming {
  ir::CollectiveKind kind = ir::CollectiveKind::AllReduce;
  std::uint64_t ranks = 0, nodes = 0;
  std::uint64_t bytes = 0; ///< size of a rank's whole buffer, as in nccl-tests
  double seconds = 0;      ///< time of the out-of-place operation
  SourceRange where;
  std::uint64_t ofThread = 0; ///< devices per launching thread; 0 if not known
  std::string device{};       ///< the maker's name of the devices; empty if not known
};

/// A timed collective, and the links that it used.
struct MeasuredCollective {
  CollectiveTiming measured;
  ir::LinkLevels links;                                        ///< link levels, for a collective
                                                               ///< without other traffic
  llvm::SmallVector<std::uint64_t, ir::linkLevelCount> inside; ///< as Group::inside
  std::vector<ir::TorusRanks> torus = {};                      ///< as Group::torus
  std::vector<std::uint64_t> order = {};                       ///< as Group::order
  std::uint64_t ofNode = 1;                                    ///< ranks per node
  double launch = 0;                                           ///< launch time of the harness in s
  std::optional<ir::Algorithm> algorithm = {};                 ///< algorithm that the measurement
                                                               ///< set, if it set one
};

} // namespace dpl::score
