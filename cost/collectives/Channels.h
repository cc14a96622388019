#pragma once
//===- Channels.h - The rate of NCCL's channels in tree algorithms ----------------------------===//
#include "cost/collectives/Algorithm.h"

namespace dpl::cost {

/// Least seconds that the channels need for an all-reduce of `bytes` by an algorithm of this kind.
/// 0 if they do not limit it: for algorithms other than trees, groups within one domain, and
/// devices without a compute capability.
double channelTime(HopKind hop, double bytes, const GroupShape& shape,
                   llvm::ArrayRef<ir::LinkLevel> levels);

} // namespace dpl::cost
