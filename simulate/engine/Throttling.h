#pragma once
//===- Throttling.h - Workers on a shared bus, and delays of the early ones -------------------===//
//
// Workers share a host, a port or a bus. When the first of them communicates, the others compute
// `coupling` times (κ) longer, or as much longer as the flows on the bus imply. So a delay of the
// early worker can save time. If the first worker is done at c and the last one `gap` later, a
// delay of δ gives a step of c + δ + κ·max(0, gap − δ). The gap exceeds the best δ with probability
// 1/κ.
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace dpl::simulate {

/// The load of a bus, whose flows get max-min fair rates; work per ps.
struct BusLoad {
  double capacity = 0;     ///< total capacity
  double computing = 0;    ///< demand of a worker that computes without slowdown
  std::uint32_t flows = 1; ///< flows of a communicating worker, which take all they get
};
/// The times at which workers finish that need `alone` without the bus, and that communicate after
/// the times `held`. With `silent` no communication is on the bus.
std::vector<double> onBus(const BusLoad& bus, llvm::ArrayRef<double> alone,
                          llvm::ArrayRef<double> held, bool silent);

/// The delay of the worker that was first in the previous step.
struct Throttling {
  double coupling = 1; ///< factor without a bus
  double delay = 0;    ///< ps of each step
  /// The change of the delay in ps: after step n, this / √n. The delay shrinks by it, or grows by
  /// κ − 1 times it if the last worker finished after the delayed first one. 0: it stays.
  double change = 0;
  std::optional<BusLoad> bus = {};
};

class ThrottledGroup {
public:
  /// Without `measures` the coupling by a bus is not measured.
  explicit ThrottledGroup(const Throttling& throttling, bool measures = true)
      : throttling(throttling), delay(throttling.delay), measures(measures) {}
  /// Returns when the last worker communicates in a step with these times without the bus, and
  /// updates the delay.
  double step(llvm::ArrayRef<double> alone) { return step(alone, {}); }
  /// The same; also returns when each worker communicates.
  double step(llvm::ArrayRef<double> alone, llvm::MutableArrayRef<double> through);
  double lastDelay() const { return delay; }
  /// The measured slowdown of the other workers after the first one communicates. Without a bus,
  /// the declared factor.
  double coupling() const {
    return throttling.bus ? (needed > 0 ? measuredTime / needed : 1) : throttling.coupling;
  }

private:
  std::vector<double> through(llvm::ArrayRef<double> alone, llvm::ArrayRef<double> held);
  Throttling throttling;
  double measuredTime = 0, needed = 0; ///< ps of the other workers after the first one communicates
  double delay;
  bool measures;
  std::size_t early = SIZE_MAX; ///< first worker of the previous step
  std::uint64_t steps = 0;
};

/// The times without the bus of a group's workers, by step.
using StepsOfGroup = std::vector<std::vector<double>>;
/// The fixed delay for all groups with the shortest mean step, by successively finer grids. It
/// ignores the delay in `throttling`. A step ends with the last group.
double bestDelay(Throttling throttling, llvm::ArrayRef<StepsOfGroup> groups);
/// The mean step time with a fixed delay.
double meanStep(const Throttling& throttling, llvm::ArrayRef<StepsOfGroup> groups);

} // namespace dpl::simulate
