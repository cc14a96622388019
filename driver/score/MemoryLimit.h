#pragma once
//===- MemoryLimit.h - The usable device memory of a cluster's software -----------------------===//
#include "driver/score/Statistics.h"

namespace dpl::score {

/// One limit on the tensors of a device that separates runs that fit from runs out of memory best.
/// It is cross-validated: chosen on every second model size and applied to the others, and vice
/// versa.
struct MemoryLimit {
  std::string family, device; ///< labels of the runs
  double bytes = 0;           ///< limit chosen on all runs
  Verdicts chosen, crossed;   ///< verdicts on the runs of the choice, and on the others
};
/// The limits for each family and device with at least `enough` runs that fit, as many out of
/// memory, and two model sizes.
std::vector<MemoryLimit> memoryLimits(const Scores& scores, std::size_t enough = 20);

} // namespace dpl::score
