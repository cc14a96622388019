#pragma once
//===- HostLead.h - How far the host of a rank is ahead of its device -------------------------===//
//
// Launches are asynchronous: the host goes on until the device's queue is full. What it frees then
// may still be in use by a collective on a stream of its own, and is no room for what it asks for
// next (recordStream in torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp).
#include "ir/Plan.h"
#include <vector>

namespace dpl::cost {

/// What a pass asks of both: seconds, and entries of the device's queue.
struct ActionPace {
  double host = 0, device = 0, entries = 0;
  double longer() const { return host > device ? host : device; }
};

/// Whether the host of the layout's framework waits for nothing but a place in that queue until a
/// step has ended. With a pipeline nanotron's polled for each message until 67c5ebb6 of 2024-12-27
/// (parallel/pipeline_parallel/p2p.py); runs of later software do not wait
/// (docs/reference/memory.md).
bool runsAhead(const ir::Plan& plan);

/// The clocks of a pipeline rank in a step whose host waits for nothing but a place in the queue.
/// Relies on: bodies, costs and lists of passes.
class HostLead {
public:
  HostLead(const ir::Plan& plan, std::uint64_t rank);
  /// Seconds from the begin of the step. When the host launches what lies behind a share of a pass,
  /// and when the device has done what lies before it.
  double launched(std::size_t pass, double share) const;
  double done(std::size_t pass, double share) const;
  std::size_t actions() const { return actionClocks.size(); }

  struct ActionClocks {
    double hostBegin = 0, hostEnd = 0, deviceBegin = 0, deviceEnd = 0;
    double entriesBefore = 0, entries = 0;
  };

private:
  std::vector<ActionClocks> actionClocks;
  std::size_t waitsFrom; ///< the first pass that the device waits for while its queue is full
};

} // namespace dpl::cost
