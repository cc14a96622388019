#pragma once
//===- TieredRun.h - A run with checkpoints in several tiers ----------------------------------===//
#include "support/math/SavedRun.h"
#include <array>

namespace dpl::simulate {

/// A tier of checkpoints, and recovery from it; times are seconds.
struct SavedTier {
  std::uint64_t every = 1; ///< one of `every` checkpoints of the run goes to this tier
  double blocked = 0;      ///< time that training waits for it
  double written = 0;      ///< time until it can be read, overlapped with training
  double between = 0;      ///< MTBF of failures that it is the first tier to survive; infinity:
                           ///< none
  double restart = 0;      ///< restart time after such a failure
};

/// The tiers, from node memory, which most failures spare, to storage, which all spare.
struct TieredRun {
  double work = 0;
  double interval = 0; ///< work between two checkpoints
  std::array<SavedTier, 3> tiers;
  double shape = 1; ///< of the times between failures (FailureTimes)
  WorkRate rate = {};
};

/// Draws one run. After a restart the earlier tiers also contain the checkpoint that was read.
RunTime draw(const TieredRun& run, Draws& draws);

} // namespace dpl::simulate
