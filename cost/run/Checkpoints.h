#pragma once
//===- Checkpoints.h - The effect of failures and checkpoints on a run ------------------------===//
//
// Times are in seconds. Failures are independent, with mean time `between` (infinity: none), and
// may also occur while a checkpoint is written or the run restarts.
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace dpl::cost {

/// A checkpoint after each `interval` of work.
struct Checkpoints {
  double interval = 0;
  double blocked = 0; ///< time that training waits per checkpoint
  /// Time after that until the checkpoint can be read; 0 if training waits for the write.
  double written = 0;
};
struct Failures {
  double between = 0;
  double restart = 0; ///< time until training continues from the last checkpoint
  double shape = 1;   ///< Weibull shape of the times between failures; 1: exponential
};

/// Elapsed time over productive time. This is exact in the long run: a failure renews the process,
/// M is the mean time of a cycle, and a cycle completes n checkpoints if no failure occurs for the
/// time that they need. With exponential failures it is M·e^{(R+c)/M}·(e^{(τ+s)/M} − 1)/τ, and for
/// c = 0 (training waits for the write) Daly's formula (A higher order estimate of the optimum
/// checkpoint interval for restart dumps, 2006, equation 13). A checkpoint that is due while
/// another one is written is skipped (docs/reference/runs.md derives both). Infinite if there is no
/// progress.
double timeOverWork(const Checkpoints& checkpoints, const Failures& failures);
/// The same for work without checkpoints, which a failure restarts from its begin.
double timeWithoutCheckpoints(double work, const Failures& failures);

/// Checkpoints that training waits for. One of `everyFull` writes everything in `full`; each other
/// one takes `delta`, and a restart reads it in `readDelta` in addition.
struct IncrementalCheckpoints {
  double interval = 0, full = 0, delta = 0, readDelta = 0;
  std::uint64_t everyFull = 1;
  double meanBlocked() const;
  double meanRead() const; ///< time to read the later checkpoints after a failure
};
/// Exact for exponential failures: the mean over i of M·e^{R_{i−1}/M}·(e^{(τ+C_i)/M} − 1)/τ, where
/// R_{i−1} is the restart from the checkpoint before. For others, with the means of C and R.
double timeWithIncrements(const IncrementalCheckpoints& checkpoints, const Failures& failures);

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
/// The same for any shape; not for a shape of 1 the least time is searched.
double bestInterval(double blocked, double written, const Failures& failures);
double bestInterval(const IncrementalCheckpoints& checkpoints, const Failures& failures);

} // namespace dpl::cost
