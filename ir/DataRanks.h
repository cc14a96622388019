#pragma once
//===- DataRanks.h - How data ranks step, of a layout and its cluster -------------------------===//
#include "ir/Plan.h"
#include <string>

namespace dpl::ir {

/// The first field of a layout that says so, for messages.
inline const char* fieldOf(const DataRanks& ranks) {
  if (ranks.synchronization != SynchronizationKind::Barrier)
    return "synchronization";
  if (ranks.loadBalancing != LoadBalancingKind::Equal)
    return "batch_balancing";
  return ranks.throttling != ThrottlingKind::None ? "throttling" : "parameter_servers";
}

/// Whether devices share state of dense layers or of experts, so that `shard` divides something.
inline bool sharesState(const Plan& plan) {
  return plan.stateRanks() > 1 || plan.expertStateRanks() > 1;
}

/// Whether data ranks may have unequal shares of the batch.
inline bool hasUnequalShares(const Layout& layout) {
  return !layout.dataRanks.empty() &&
         layout.dataRanks.front().loadBalancing != LoadBalancingKind::Equal;
}

/// Why devices that share what an `interference` says, or `throttling`, do not go with data ranks
/// that wait so, as a sentence; empty where they do, or there is none.
std::string whyNotCoupled(const Plan& plan, SynchronizationKind waiting);

/// Why a unit of a level is no several devices, as a sentence; empty where it is.
std::string whyAlone(const Cluster& cluster, Level level);

/// Why data ranks that are one device each do not meet in units of a level before all of them do,
/// as a sentence; empty where they do.
std::string whyNoUnits(const Plan& plan, Level level);

} // namespace dpl::ir
