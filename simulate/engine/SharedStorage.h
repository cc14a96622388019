#pragma once
//===- SharedStorage.h - Runs that write checkpoints to the same storage ----------------------===//
//
// Concurrent checkpoints share the bandwidth of the storage equally, in bytes per second. Each run
// has its own failures and repeats its own work.
#include "support/math/SavedRun.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::simulate {

/// A run that uses the same storage as the drawn run. It lasts at least as long.
struct ConcurrentRun {
  SavedRun run;
  /// The time in seconds since it resumed from a checkpoint when the drawn run begins, as if it had
  /// the storage alone.
  double ahead = 0;
};
/// The run at a uniformly drawn time between two checkpoints: training, copying or writing.
ConcurrentRun anywhere(const SavedRun& run, Draws& draws);

struct SharedTime {
  RunTime time;
  double written = 0; ///< completed checkpoints
  double writing = 0; ///< total seconds of these
};

/// Draws one run. Each run writes `written` seconds to storage, or `blocked` if that is 0, as
/// measured with the storage alone.
SharedTime draw(const SavedRun& run, llvm::ArrayRef<ConcurrentRun> overlap, Draws& draws);

} // namespace dpl::simulate
