#pragma once
//===- Throttling.h - Workers on a shared bus, and delays of the early ones -------------------===//
//
// Workers share a host, a port or a bus. While the first of them communicates, the others compute
// more slowly: by the factor `coupling` (κ), or as the flows on the bus imply. So delaying the
// early worker can save time. If the first worker is done at c and the last one would be done `gap`
// later, a delay of δ gives a step of c + δ + κ·max(0, gap − δ). The gap exceeds the best δ with
// probability 1/κ.
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace dpl::simulate {

/// The load of a bus, whose flows get max-min fair rates. Rates are work per ps.
struct BusLoad {
  double capacity = 0;     ///< total capacity
  double computing = 0;    ///< demand of a worker that computes without slowdown
  std::uint32_t flows = 1; ///< flows of a communicating worker, each of which uses all the
                           ///< bandwidth that it gets
};
/// The times at which workers finish. Without other load on the bus they need `alone`, and each
/// communicates `held` ps after it has finished. If `silent` is set, nobody communicates.
std::vector<double> onBus(const BusLoad& bus, llvm::ArrayRef<double> alone,
                          llvm::ArrayRef<double> held, bool silent);

/// The delay of the worker that finished first in the previous step.
struct Throttling {
  double coupling = 1; ///< slowdown of the other workers, if no bus is given
  double delay = 0;    ///< delay in ps in each step, or in the first one
  /// The change of the delay: `change` / √n ps after step n. The delay shrinks by it, or grows by κ
  /// − 1 times it if the last worker finished after the delayed first one. With 0 the delay stays.
  double change = 0;
  std::optional<BusLoad> bus = {};
};

class ThrottledGroup {
public:
  /// If `measures` is false, the slowdown by the bus is not measured.
  explicit ThrottledGroup(const Throttling& throttling, bool measures = true)
      : throttling(throttling), delay(throttling.delay), measures(measures) {}
  /// Returns when the last worker communicates, and updates the delay. `alone` is the time that
  /// each worker would need without the bus.
  double step(llvm::ArrayRef<double> alone) { return step(alone, {}); }
  /// The same, and also sets the time at which each worker communicates.
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
  double measuredTime = 0, needed = 0; ///< ps of the other workers after the first one
                                       ///< communicates, with and without the bus
  double delay;
  bool measures;
  std::size_t early = SIZE_MAX; ///< first worker of the previous step
  std::uint64_t steps = 0;
};

/// For each step, the times that a group's workers would need without the bus.
using StepsOfGroup = std::vector<std::vector<double>>;
/// The fixed delay with the shortest mean step, one delay for all groups, found on successively
/// finer grids. It does not depend on `throttling.delay`. A step ends with the last group.
double bestDelay(Throttling throttling, llvm::ArrayRef<StepsOfGroup> groups);
/// The mean step time with a fixed delay.
double meanStep(const Throttling& throttling, llvm::ArrayRef<StepsOfGroup> groups);

} // namespace dpl::simulate
