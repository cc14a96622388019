#pragma once
//===- CollectiveCost.h - Time and bytes of a collective over a hierarchy ---------------------===//
#include "cost/collectives/Protocols.h"

namespace dpl::cost {

/// The cost of a collective over one group while every other group of the same kind runs it too.
struct CollectiveCost {
  double seconds = 0;
  double latency = 0; ///< part of `seconds` that does not depend on bytes
  ir::Algorithm algorithm = ir::Algorithm::Ring;
  const Protocol* protocol = nullptr; ///< protocol that NCCL chooses; null for closed forms
  /// Bytes that one device sends over the links of each level, on average.
  std::array<double, ir::linkLevelCount> bytesPerLevel{};
  /// Seconds in which the busiest links of each level are busy.
  std::array<double, ir::linkLevelCount> secondsPerLevel{};
};

/// Cost of one algorithm; `seconds` is infinite if it cannot run on this group.
CollectiveCost costOf(ir::CollectiveKind kind, ir::Algorithm algorithm, double bytes,
                      const GroupShape& shape, llvm::ArrayRef<ir::LinkLevel> levels);

/// The time of one phase of a closed form: a latency per step, and in total the time of its bytes
/// on the busiest links of each level.
struct PhaseTime {
  double latency = 0;
  std::array<double, ir::linkLevelCount> seconds{};
  std::array<double, ir::linkLevelCount> bytes{}; ///< mean over devices, as bytesPerLevel
};
PhaseTime timeOf(const AlgorithmPhase& phase, double bytes, const GroupShape& shape,
                 llvm::ArrayRef<ir::LinkLevel> levels);

/// The fastest algorithm of the cluster's library for `bytes` (d, the whole buffer of a rank). A
/// group of one rank costs nothing. Does not allocate.
CollectiveCost collectiveCost(ir::CollectiveKind kind, double bytes, const GroupShape& shape,
                              llvm::ArrayRef<ir::LinkLevel> levels);

/// The cost of each algorithm that is considered for this collective, in table order; infinite if
/// it cannot run on this group.
llvm::SmallVector<CollectiveCost, 8> algorithmCosts(ir::CollectiveKind kind, double bytes,
                                                    const GroupShape& shape,
                                                    llvm::ArrayRef<ir::LinkLevel> levels);

/// Bus bandwidth divided by algorithm bandwidth, as in PERFORMANCE.md of nccl-tests: the least
/// share of its buffer that a rank must send.
double busFactor(ir::CollectiveKind kind, double ranks);

/// Sustained bytes/s of one device over a level's links: bandwidth × efficiency × in-step
/// efficiency ÷ oversubscription.
double sustainedBandwidth(const ir::LinkLevel& level);
/// Sustained bytes/s of one device of a group over the links of level `l`. Without a switch a
/// device uses only links to members of its group, and on a torus only links to its neighbours in
/// the group.
double sustainedBandwidth(const ir::LinkLevel& level, const GroupShape& shape, std::size_t l);
/// The factor on the bandwidth if a device sends to all peers at once: in a level without a switch
/// it then uses its links to all other units.
double moreToAll(const ir::LinkLevel& level, const GroupShape& shape, std::size_t l);

/// Time of one message between two devices whose innermost common unit is of this level.
double messageTime(double bytes, const ir::LinkLevel& level);

} // namespace dpl::cost
