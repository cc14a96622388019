#pragma once
//===- HostLead.h - How far the host of a rank is ahead of its device -------------------------===//
//
// Kernel launches are asynchronous: the host continues until the device's queue is full. Memory
// that the host frees may still be used by a collective on another stream. The allocator cannot
// reuse this memory yet (recordStream in torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp).
#include "ir/Plan.h"
#include <vector>

namespace dpl::cost {

/// Time of an action on the host and on the device, in seconds, and its entries in the device's
/// queue.
struct ActionPace {
  double host = 0, device = 0, entries = 0;
  double longer() const { return host > device ? host : device; }
};

/// Whether the host waits only for a place in the device's queue until the step ends. With a
/// pipeline, nanotron's host polled for each message until 67c5ebb6 of 2024-12-27
/// (parallel/pipeline_parallel/p2p.py). Later versions do not wait (docs/reference/memory.md).
bool runsAhead(const ir::Plan& plan);

/// The clocks of a pipeline rank whose host waits only for a place in the device's queue. Relies
/// on: stage programs, costs and per-rank schedules.
class HostLead {
public:
  HostLead(const ir::Plan& plan, std::uint64_t rank);
  /// Both return seconds since the start of the step, for the point at which `share` (0 to 1) of
  /// action `pass` has run. `launched`: when the host launches the work after this point. `done`:
  /// when the device has finished the work before this point.
  double launched(std::size_t pass, double share) const;
  double done(std::size_t pass, double share) const;
  std::size_t actions() const { return actionClocks.size(); }

  struct ActionClocks {
    double hostBegin = 0, hostEnd = 0, deviceBegin = 0, deviceEnd = 0;
    double entriesBefore = 0, entries = 0;
  };

private:
  std::vector<ActionClocks> actionClocks;
  /// Index of the action from which on the device's queue is full, because the rank waits for
  /// others.
  std::size_t waitsFrom;
};

} // namespace dpl::cost
