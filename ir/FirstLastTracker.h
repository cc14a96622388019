#pragma once
//===- FirstLastTracker.h - Whether an action is the first or last of its chunk ---------------===//
#include "ir/StageProgram.h"
#include <array>

namespace dpl::ir {

/// Whether an action is the first, and whether it is the last, of the actions of its chunk with the
/// same result, such as weight gradients.
struct ActionFirstLast {
  bool first = false, last = false;
};

/// Whether an action runs the segment of its stage program.
inline bool runsIn(const Segment& s, ActionFirstLast of) {
  return s.selection == MicroBatchSelection::Every ||
         (s.selection == MicroBatchSelection::First ? of.first : of.last);
}

/// Tracks the actions of a chunk in order. An input gradient is the result of a whole backward pass
/// or of an input-gradient action, a weight gradient that of a whole backward pass or of a
/// weight-gradient action.
class FirstLastTracker {
public:
  /// The flags of the next action, for a chunk with `microBatches` micro-batches.
  ActionFirstLast next(ActionKind kind, std::uint64_t microBatches) {
    const auto ran = [&](std::size_t product) {
      const bool first = done[product] == 0;
      return ActionFirstLast{first, ++done[product] == microBatches};
    };
    switch (kind) {
    case ActionKind::BackwardInput:
      return ran(1);
    case ActionKind::BackwardWeight:
      return ran(2);
    case ActionKind::Recomputation:
      return ran(3);
    case ActionKind::Backward: {
      const bool first = ran(1).first;
      return {first, ran(2).last};
    }
    default:
      return ran(0);
    }
  }

private:
  std::array<std::uint64_t, 4>
      done{}; ///< forward passes, input gradients, weight gradients, recomputations
};

} // namespace dpl::ir
