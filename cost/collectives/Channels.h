#pragma once
//===- Channels.h - The rate at which NCCL's channels carry trees -----------------------------===//
#include "cost/collectives/Algorithm.h"

namespace dpl::cost {

/// Seconds that the channels need at least for an all-reduce of `bytes` by an algorithm of this
/// kind; 0 where they set no limit: other algorithms than trees, groups within one domain, and
/// devices without a compute capability.
double channelTime(HopKind hop, double bytes, const GroupShape& shape,
                   llvm::ArrayRef<ir::LinkLevel> levels);

} // namespace dpl::cost
