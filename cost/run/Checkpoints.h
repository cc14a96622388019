#pragma once
//===- Checkpoints.h - What failures and checkpoints leave of the time ------------------------===//
//
// Seconds. Failures are independent and exponential, with `between` between two of them (infinity:
// none), and may also hit the writing of a checkpoint and the restart.
#include "llvm/ADT/ArrayRef.h"

namespace dpl::cost {

/// A checkpoint behind each `interval` of work.
struct Checkpoints {
  double interval = 0;
  double blocked = 0; ///< that training waits for one
  /// From the end of that on until it can be read: 0 where training waits for the writing itself.
  double written = 0;
};
struct Failures {
  double between = 0;
  double restart = 0; ///< until training goes on where the last checkpoint was
};

/// Time over work, M·e^{(R+c)/M}·(e^{(τ+s)/M} − 1)/τ: exact in the long run, and where training
/// waits for the writing, c = 0, Daly's (A higher order estimate of the optimum checkpoint interval
/// for restart dumps, 2006, equation 13). What is due while another is being written is left out
/// (docs/reference/runs.md derives both). Infinite where nothing gets done.
double timeOverWork(const Checkpoints& checkpoints, const Failures& failures);

/// Where some of the checkpoints go, of which there is one after each `interval` of work, and what
/// failures leave it and those behind it, but not those before it.
struct CheckpointTier {
  Checkpoints checkpoints;
  Failures failures;
};
/// To first order, of tiers that are written beside training or waited for: 1 + Σ s/τ + (τ/2 + c +
/// R)/M.
double timeOverWork(llvm::ArrayRef<CheckpointTier> tiers);
/// What all intervals are best multiplied by: √(Σ s/τ / Σ τ/2M), and no less than what writing
/// takes.
double bestIntervalScale(llvm::ArrayRef<CheckpointTier> tiers);

/// The interval at which that is least: M·(1 + W0(−e^{−1−s/M})), but none below the time that
/// writing takes.
double bestInterval(double blocked, double written, double between);

} // namespace dpl::cost
