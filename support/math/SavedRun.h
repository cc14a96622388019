#pragma once
//===- SavedRun.h - A run with failures and checkpoints ---------------------------------------===//
#include "support/math/FailureTimes.h"
#include "support/math/WorkRate.h"

namespace dpl::simulate {

/// Times are seconds. Failures may also occur while the run waits and restarts.
struct SavedRun {
  double work = 0;
  double interval = 0; ///< work between two checkpoints
  double blocked = 0;  ///< time that training waits for a checkpoint, a full one if some are not
  /// The time from then until the checkpoint can be read; 0 if training waits for the writing. A
  /// checkpoint that begins while one is being written is skipped.
  double written = 0;
  double between = 0; ///< mean time between failures; infinity without failures
  double restart = 0;
  double shape = 1; ///< of the times between failures (FailureTimes)
  /// One of `everyFull` checkpoints is full. The others take `share` of its time, and a restart
  /// reads the last full one and, in `readEach` per checkpoint, the later ones.
  std::uint64_t everyFull = 1;
  double share = 1, readEach = 0;
  WorkRate rate = {};

  double blockedBy(std::uint64_t checkpoint) const {
    return checkpoint % everyFull == 0 ? blocked : share * blocked;
  }
  double restartFrom(std::uint64_t checkpoint) const {
    return restart + readEach * static_cast<double>(checkpoint % everyFull);
  }
  double meanBlocked() const {
    const auto each = static_cast<double>(everyFull);
    return blocked * (1 + share * (each - 1)) / each;
  }
};
struct RunTime {
  double time = 0;
  double saving = 0, rework = 0, restarting = 0; ///< parts of the time; the rest is work
  double waiting = 0;                            ///< wait for nodes
  double slower = 0; ///< extra time on fewer nodes, with a slow device or with degraded nodes
  double failures = 0;
};

/// Draws one run.
RunTime draw(const SavedRun& run, Draws& draws);

// Intervals for checkpoints that block a run for C = `blocked`, with a mean time between failures
// of M = `between`:

/// √(2CM), by Young (A first order approximation to the optimum checkpoint interval, 1974).
double youngInterval(double blocked, double between);
/// √(2CM)·(1 + √x/3 + x/9) − C with x = C/2M if x is below 1, otherwise M (Daly, 2006, equation
/// 37).
double dalyInterval(double blocked, double between);

} // namespace dpl::simulate
