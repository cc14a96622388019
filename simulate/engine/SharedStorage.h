#pragma once
//===- SharedStorage.h - Runs that write checkpoints to the same storage ----------------------===//
//
// Concurrent checkpoints share the bandwidth of the storage equally, in bytes per second. Each run
// has its own failures and repeats its own work.
#include "support/math/SavedRun.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::simulate {

/// A run that uses the same storage as the drawn run, and ends no earlier.
struct ConcurrentRun {
  SavedRun run;
  /// Time in seconds between the start of the run from a checkpoint and the start of the drawn run,
  /// as if it had the storage alone.
  double ahead = 0;
};
/// Places the run at a uniformly drawn time between two checkpoints: it trains, copies or writes
/// then.
ConcurrentRun anywhere(const SavedRun& run, Draws& draws);

struct SharedTime {
  RunTime time;
  double written = 0; ///< completed checkpoints
  double writing = 0; ///< total writing time of the completed checkpoints, in seconds
};

/// Draws one run. With the storage alone, each run needs `written` seconds for a checkpoint, or
/// `blocked` seconds if that is 0.
SharedTime draw(const SavedRun& run, llvm::ArrayRef<ConcurrentRun> overlap, Draws& draws);

} // namespace dpl::simulate
