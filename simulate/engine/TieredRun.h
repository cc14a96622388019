#pragma once
//===- TieredRun.h - A run with checkpoints in several tiers ----------------------------------===//
#include "support/math/SavedRun.h"
#include <array>

namespace dpl::simulate {

/// A tier of checkpoints, and recovery from it. Times are seconds.
struct SavedTier {
  std::uint64_t every = 1; ///< one of `every` checkpoints of the run goes to this tier
  double blocked = 0;      ///< time for which training waits for a write
  double written = 0;      ///< time after that until the checkpoint can be read
  double between = 0;      ///< MTBF of the failures after which this is the first tier that is
                           ///< left; infinity if there are none
                           ///< none
  double restart = 0;      ///< restart time after such a failure
};

/// A run with tiers of checkpoints, from node memory, which most failures leave intact, to storage,
/// which all failures leave intact.
struct TieredRun {
  double work = 0;
  double interval = 0; ///< work between two checkpoints
  std::array<SavedTier, 3> tiers;
  double shape = 1; ///< of the times between failures (FailureTimes)
  WorkRate rate = {};
};

/// Draws one run. After a restart the tiers before the one that was read contain the same
/// checkpoint.
RunTime draw(const TieredRun& run, Draws& draws);

} // namespace dpl::simulate
