#pragma once
//===- MemoryLimit.h - What of a device's memory the software of a cluster leaves -------------===//
#include "driver/score/Statistics.h"

namespace dpl::score {

/// One limit for the tensors of a device, chosen so that most runs are on their side of it. Its
/// worth is on runs that it was not chosen by: chosen on every second model size and applied to the
/// others, both ways.
struct MemoryLimit {
  std::string family, device; ///< labels of the runs
  double bytes = 0;           ///< chosen on all of them
  Verdicts chosen, crossed;   ///< on those it was chosen by, on the others
};
/// Of each family and device with `enough` runs that ran, as many that were out of memory, and two
/// model sizes.
std::vector<MemoryLimit> memoryLimits(const Scores& scores, std::size_t enough = 20);

} // namespace dpl::score
