#pragma once
//===- FirstLastTracker.h - Whether a pass is the first or the last of its chunk
//---------------===//
#include "ir/StageProgram.h"
#include <array>

namespace dpl::ir {

/// Whether a pass is the first of its chunk that runs what it runs, and the last.
struct ActionFirstLast {
  bool first = false, last = false;
};

/// Whether a pass runs the segment of its body.
inline bool runsIn(const Segment& s, ActionFirstLast of) {
  return s.selection == MicroBatchSelection::Every ||
         (s.selection == MicroBatchSelection::First ? of.first : of.last);
}

/// The passes of a chunk, one after the other. An input gradient comes of a whole backward or one
/// of the input, a weight gradient of a whole one or one of the weights.
class FirstLastTracker {
public:
  /// Of a chunk that has so many micro-batches.
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
      done{}; ///< forwards, gradients of inputs and of weights, recomputations
};

} // namespace dpl::ir
