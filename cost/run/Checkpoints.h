#pragma once
//===- Checkpoints.h - The effect of failures and checkpoints on a run ------------------------===//
//
// Times are in seconds. Failures are independent and exponential with mean time `between`
// (infinity: none), and may also occur while a checkpoint is written or the run restarts.
#include "llvm/ADT/ArrayRef.h"

namespace dpl::cost {

/// A checkpoint after each `interval` of work.
struct Checkpoints {
  double interval = 0;
  double blocked = 0; ///< time that training waits per checkpoint
  /// Time from then until the checkpoint can be read; 0 if training waits for the write.
  double written = 0;
};
struct Failures {
  double between = 0;
  double restart = 0; ///< time until training continues from the last checkpoint
};

/// Elapsed time over productive time, M·e^{(R+c)/M}·(e^{(τ+s)/M} − 1)/τ. This is exact in the long
/// run, and for c = 0 (training waits for the write) it is Daly's formula (A higher order estimate
/// of the optimum checkpoint interval for restart dumps, 2006, equation 13). A checkpoint that is
/// due while another one is written is skipped (docs/reference/runs.md derives both). Infinite if
/// there is no progress.
double timeOverWork(const Checkpoints& checkpoints, const Failures& failures);

/// A level of checkpoint storage: its checkpoints, and the failures that this level and later ones
/// survive but earlier ones do not.
struct CheckpointTier {
  Checkpoints checkpoints;
  Failures failures;
};
/// First-order result for tiers: 1 + Σ s/τ + (τ/2 + c + R)/M.
double timeOverWork(llvm::ArrayRef<CheckpointTier> tiers);
/// The best common factor for all intervals: √(Σ s/τ / Σ τ/2M), at least as long as a write takes.
double bestIntervalScale(llvm::ArrayRef<CheckpointTier> tiers);

/// The interval that minimizes timeOverWork: M·(1 + W0(−e^{−1−s/M})), at least as long as a write
/// takes.
double bestInterval(double blocked, double written, double between);

} // namespace dpl::cost
