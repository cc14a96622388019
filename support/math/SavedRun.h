#pragma once
//===- SavedRun.h - A run that fails, and goes on where it was saved --------------------------===//
#include "support/math/Random.h"

namespace dpl::simulate {

/// Seconds. Failures are exponential and hit working, waiting and restarting alike.
struct SavedRun {
  double work = 0;
  double interval = 0; ///< work between two checkpoints
  double blocked = 0;  ///< that training waits for one
  /// From the end of that on until it can be read; 0 where training waits for the writing. What is
  /// still being written when another one begins is written to its end, and the other is not.
  double written = 0;
  double between = 0; ///< two failures, on average; infinity: none
  double restart = 0;
};
struct RunTime {
  double time = 0;
  double saving = 0, rework = 0, restarting = 0; ///< of it; the rest is the work
  double waiting = 0;                            ///< for nodes
  double slower = 0; ///< that the same work takes longer on fewer nodes or with a slow device
  double failures = 0;
};

/// Draws one.
RunTime draw(const SavedRun& run, Draws& draws);

// Of work between two checkpoints that each hold up a run for `blocked`, where it fails once in
// `between`.

/// √(2CM) (Young, A first order approximation to the optimum checkpoint interval, 1974).
double youngInterval(double blocked, double between);
/// √(2CM)·(1 + √x/3 + x/9) − C of x = C/2M below 1, else M (Daly, 2006, equation 37).
double dalyInterval(double blocked, double between);

} // namespace dpl::simulate
