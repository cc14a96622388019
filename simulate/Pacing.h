#pragma once
//===- Pacing.h - Workers that hold each other up, and one that lets the others pass ----------===//
//
// Workers that share a host, a port or a bus. From the moment on when the first of them is through
// and communicates, the others compute `coupling` times longer. So who is early may gain by
// waiting: with a first worker that is done at c and a last one `gap` behind it, a delay of δ makes
// the step c + δ + κ·max(0, gap − δ), and δ is best where the gap exceeds it with probability 1/κ.
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace dpl::simulate {

/// What delays whoever was first in the step before.
struct Pacing {
  double coupling = 1;
  double delay = 0; ///< of each step, ps
  /// ps that the delay is moved by behind the first step, and behind step n by 1/√n of it: up where
  /// the last came behind the first and its delay, which cost κ − 1, and down where it did not. 0:
  /// it stays.
  double change = 0;
};

class PacedGroup {
public:
  explicit PacedGroup(const Pacing& pacing) : pacing(pacing), delay(pacing.delay) {}
  /// When the last communicates in a step in which the workers would be done at these times by
  /// themselves; moves the delay by what was seen.
  double step(llvm::ArrayRef<double> alone) { return step(alone, {}); }
  /// The same, and when each of them communicates.
  double step(llvm::ArrayRef<double> alone, llvm::MutableArrayRef<double> through);
  double lastDelay() const { return delay; }

private:
  Pacing pacing;
  double delay;
  std::size_t early = SIZE_MAX; ///< who was first in the step before
  std::uint64_t steps = 0;
};

/// The fixed delay that makes these steps shortest on average, by a grid that gets finer.
double bestDelay(double coupling, const std::vector<std::vector<double>>& steps);
/// Their mean with a fixed delay.
double meanStep(const Pacing& pacing, const std::vector<std::vector<double>>& steps);

} // namespace dpl::simulate
