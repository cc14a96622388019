#pragma once
//===- SharedStorage.h - Runs that write their checkpoints to one storage ---------------------===//
//
// Of all that is written at a time each gets its share of what the storage takes: bytes over the
// shared bandwidth. Failures, and what is done again, are those of each run by itself.
#include "support/math/SavedRun.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::simulate {

/// A run beside the one that is drawn. It goes on for as long as that does.
struct ConcurrentRun {
  SavedRun run;
  /// When the other begins: seconds since it went on from a checkpoint, all at the pace of one that
  /// has the storage to itself.
  double ahead = 0;
};
/// Anywhere from one checkpoint to the next: at work, copying or writing.
ConcurrentRun anywhere(const SavedRun& run, Draws& draws);

struct SharedTime {
  RunTime time;
  double written = 0; ///< checkpoints that were written to the end
  double writing = 0; ///< seconds that these took
};

/// Draws one. Of `run` and those beside, what they write to storage is `written`, or `blocked`
/// where that is 0, each as it takes alone.
SharedTime draw(const SavedRun& run, llvm::ArrayRef<ConcurrentRun> overlap, Draws& draws);

} // namespace dpl::simulate
