#pragma once
//===- PacedAllocator.h - An allocator whose host may run ahead of the device -----------------===//
#include "cost/memory/CachingAllocator.h"
#include "cost/memory/HostLead.h"
#include <algorithm>
#include <optional>

namespace dpl::cost {

/// An allocator with the clocks of a HostLead. Without one the host allocates after the device has
/// finished its work. Actions are numbered as in HostLead.
class PacedAllocator : public CachingAllocator {
public:
  PacedAllocator(CachingAllocator allocator, std::optional<HostLead> lead)
      : CachingAllocator(std::move(allocator)), lead(std::move(lead)) {}

  void beginStep() { next = 0; }
  /// Begins an action that launches `count` operators.
  void beginAction(std::uint64_t count) {
    action = next++;
    operators = static_cast<double>(count), operatorsBefore = 0;
  }
  /// The host reaches the next operator of the action.
  void nextOperator() {
    if (!lead || action >= lead->actions())
      return;
    const double share = std::min(1.0, operatorsBefore++ / operators);
    at(lead->launched(action, share), lead->done(action, share));
  }
  /// A collective reads or writes the block.
  void useInCollective(BlockId block) {
    if (lead && block != none)
      record(block);
  }

private:
  std::optional<HostLead> lead;
  std::size_t action = 0, next = 0;
  double operators = 1, operatorsBefore = 0;
};

} // namespace dpl::cost
