#pragma once
//===- Throttling.h - Workers that hold each other up, and one that lets the others pass
//-------===//
//
// Workers that share a host, a port or a bus. From the moment on when the first of them is through
// and communicates, the others compute `coupling` times longer, or as much longer as follows from
// the flows of all on what they share. So who is early may gain by
// waiting: with a first worker that is done at c and a last one `gap` behind it, a delay of δ makes
// the step c + δ + κ·max(0, gap − δ), and δ is best where the gap exceeds it with probability 1/κ.
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace dpl::simulate {

/// What they share, as flows with max-min fair parts of it; work a ps.
struct BusLoad {
  double capacity = 0;     ///< of all
  double computing = 0;    ///< that a worker moves while it computes and nothing holds it up
  std::uint32_t flows = 1; ///< that one has while it communicates, which take what they get
};
/// When each worker is through that would need so long alone, and after another time communicates;
/// with `silent` nobody's communication is on the bus.
std::vector<double> onBus(const BusLoad& bus, llvm::ArrayRef<double> alone,
                          llvm::ArrayRef<double> held, bool silent);

/// What delays whoever was first in the step before.
struct Throttling {
  double coupling = 1; ///< without a bus
  double delay = 0;    ///< of each step, ps
  /// ps that the delay is moved by behind the first step, and behind step n by 1/√n of it: up where
  /// the last came behind the first and its delay, which cost κ − 1, and down where it did not. 0:
  /// it stays.
  double change = 0;
  std::optional<BusLoad> bus = {};
};

class ThrottledGroup {
public:
  /// Without `measures` a coupling that follows from flows is not worked out.
  explicit ThrottledGroup(const Throttling& throttling, bool measures = true)
      : throttling(throttling), delay(throttling.delay), measures(measures) {}
  /// When the last communicates in a step in which the workers would be done at these times by
  /// themselves; moves the delay by what was seen.
  double step(llvm::ArrayRef<double> alone) { return step(alone, {}); }
  /// The same, and when each of them communicates.
  double step(llvm::ArrayRef<double> alone, llvm::MutableArrayRef<double> through);
  double lastDelay() const { return delay; }
  /// How many times longer the others took from the first's communication on than they would have
  /// taken had it not been on the bus, so far; without a bus what was declared.
  double coupling() const {
    return throttling.bus ? (needed > 0 ? measuredTime / needed : 1) : throttling.coupling;
  }

private:
  std::vector<double> through(llvm::ArrayRef<double> alone, llvm::ArrayRef<double> held);
  Throttling throttling;
  double measuredTime = 0, needed = 0; ///< ps of the others, from when the first communicates
  double delay;
  bool measures;
  std::size_t early = SIZE_MAX; ///< who was first in the step before
  std::uint64_t steps = 0;
};

/// By step, when the workers of a group would be done by themselves.
using StepsOfGroup = std::vector<std::vector<double>>;
/// The fixed delay, the same in all groups, that makes these steps shortest on average, by a grid
/// that gets finer; what `pacing` says of delays is not asked. A step ends with the last group.
double bestDelay(Throttling throttling, llvm::ArrayRef<StepsOfGroup> groups);
/// Their mean with a fixed delay.
double meanStep(const Throttling& throttling, llvm::ArrayRef<StepsOfGroup> groups);

} // namespace dpl::simulate
