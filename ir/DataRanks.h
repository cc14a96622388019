#pragma once
//===- DataRanks.h - Synchronization of data ranks --------------------------------------------===//
#include "ir/Plan.h"
#include <string>

namespace dpl::ir {

/// The first field of a layout that asks for more than a barrier, for messages.
inline const char* fieldOf(const DataRanks& ranks) {
  if (ranks.synchronization != SynchronizationKind::Barrier)
    return "synchronization";
  if (ranks.loadBalancing != LoadBalancingKind::Equal)
    return "batch_balancing";
  return ranks.throttling != ThrottlingKind::None ? "throttling" : "parameter_servers";
}

/// Whether devices share state of dense layers or experts, so that `shard` divides something.
inline bool sharesState(const Plan& plan) {
  return plan.stateRanks() > 1 || plan.expertStateRanks() > 1;
}

/// Whether data ranks may have unequal shares of the batch.
inline bool hasUnequalShares(const Layout& layout) {
  return !layout.dataRanks.empty() &&
         layout.dataRanks.front().loadBalancing != LoadBalancingKind::Equal;
}

/// The reason, as a sentence, why `interference` or `throttling` cannot be combined with this
/// synchronization of data ranks; empty if it can, or if neither is set.
std::string whyNotCoupled(const Plan& plan, SynchronizationKind waiting);

/// The reason, as a sentence, why a unit of a level does not have several devices; empty if it
/// does.
std::string whyAlone(const Cluster& cluster, Level level);

/// The reason, as a sentence, why data ranks of one device each cannot meet in units of a level
/// before all of them meet; empty if they can.
std::string whyNoUnits(const Plan& plan, Level level);

} // namespace dpl::ir
