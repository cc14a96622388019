#pragma once
//===- MemoryLimit.h - The usable device memory of a cluster's software -----------------------===//
#include "driver/score/Statistics.h"

namespace dpl::score {

/// The limit on the bytes of tensors on a device that best separates runs that fit from runs out of
/// memory. It is cross-validated: the limit chosen on every second model size is applied to the
/// other sizes, and vice versa.
struct MemoryLimit {
  std::string family, device; ///< labels of the runs
  double bytes = 0;           ///< limit chosen on all runs, in bytes
  Verdicts chosen, crossed;   ///< verdicts of `bytes`, and of the cross-validated limits
};
/// The limits of each family and device that has at least `enough` runs that fit, at least as many
/// out of memory, and two model sizes.
std::vector<MemoryLimit> memoryLimits(const Scores& scores, std::size_t enough = 20);

} // namespace dpl::score
