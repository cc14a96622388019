#pragma once
//===- CollectiveCost.h - Time and bytes of a collective over a hierarchy ---------------------===//
#include "cost/collectives/Protocols.h"

namespace dpl::cost {

/// A collective over one group while every other group of the same kind runs it too.
struct CollectiveCost {
  double seconds = 0;
  double latency = 0; ///< of `seconds`, what does not depend on the bytes
  ir::Algorithm algorithm = ir::Algorithm::Ring;
  const Protocol* protocol = nullptr; ///< of NCCL
  /// Sent by one device over the links of each level, on average.
  std::array<double, ir::linkLevelCount> bytesPerLevel{};
  /// In which the busiest links of each level carry them.
  std::array<double, ir::linkLevelCount> secondsPerLevel{};
};

/// Time of one algorithm; `seconds` is infinite when it cannot run on this group.
CollectiveCost costOf(ir::CollectiveKind kind, ir::Algorithm algorithm, double bytes,
                      const GroupShape& shape, llvm::ArrayRef<ir::LinkLevel> levels);

/// What one phase of a closed form takes: each of its steps a latency, and in all the time of its
/// bytes over the busiest links of each level.
struct PhaseTime {
  double latency = 0;
  std::array<double, ir::linkLevelCount> seconds{};
  std::array<double, ir::linkLevelCount> bytes{}; ///< of a device on average, as bytesPerLevel
};
PhaseTime timeOf(const AlgorithmPhase& phase, double bytes, const GroupShape& shape,
                 llvm::ArrayRef<ir::LinkLevel> levels);

/// The fastest algorithm of the cluster's library for `bytes` (d, the whole buffer of a rank). A
/// group of one rank costs nothing. Allocates nothing.
CollectiveCost collectiveCost(ir::CollectiveKind kind, double bytes, const GroupShape& shape,
                              llvm::ArrayRef<ir::LinkLevel> levels);

/// The cost of each algorithm that is weighed for this collective, in the order of the table:
/// infinite where it cannot run on this group.
llvm::SmallVector<CollectiveCost, 8> algorithmCosts(ir::CollectiveKind kind, double bytes,
                                                    const GroupShape& shape,
                                                    llvm::ArrayRef<ir::LinkLevel> levels);

/// Bus bandwidth over algorithm bandwidth, as PERFORMANCE.md of nccl-tests has it: what of its
/// buffer a rank must send at least.
double busFactor(ir::CollectiveKind kind, double ranks);

/// Bytes a second that one device sustains over a level's links: bandwidth × efficiency × what a
/// step leaves of it ÷ taper.
double sustainedBandwidth(const ir::LinkLevel& level);
/// Of a group: without a switch a device has the links to members of its group only, on a torus
/// those to its neighbours in it.
double sustainedBandwidth(const ir::LinkLevel& level, const GroupShape& shape, std::size_t l);
/// Of what it has, more where it sends to all peers at once: units without a switch have links to
/// each other one.
double moreToAll(const ir::LinkLevel& level, const GroupShape& shape, std::size_t l);

/// One message between two devices whose innermost common unit is of that level.
double messageTime(double bytes, const ir::LinkLevel& level);

} // namespace dpl::cost
