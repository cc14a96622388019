#pragma once
//===- TieredRun.h - A run that is saved in several places ------------------------------------===//
#include "support/math/SavedRun.h"
#include <array>

namespace dpl::simulate {

/// Where checkpoints go, and what happens where they are read back; seconds.
struct SavedTier {
  std::uint64_t every = 1; ///< of the run's checkpoints one in so many
  double blocked = 0;      ///< that training waits for it
  double written = 0;      ///< from then on until it can be read, beside training
  double between = 0;      ///< failures that leave this tier and those behind it; infinity: none
  double restart = 0;      ///< behind one
};

/// From the memory of nodes, which most failures leave, to storage, which all do.
struct TieredRun {
  double work = 0;
  double interval = 0; ///< work between two checkpoints
  std::array<SavedTier, 3> tiers;
};

/// Draws one. Behind a restart the tiers before the one that was read hold what it held.
RunTime draw(const TieredRun& run, Draws& draws);

} // namespace dpl::simulate
