#pragma once
//===- PieceClocks.h - The passes of a piece on the clocks of its rank ------------------------===//
#include "cost/programs/ProgramTime.h"
#include "ir/Plan.h"

namespace dpl::cost {

/// The passes of a piece where they take its rank's data stream further too; ChunkTime has what
/// they take where that has nothing to do.
struct ChunkClocks {
  ActionTime forward, backward, weight, whole; ///< `whole` where the schedule has both kinds
  ActionTime recompute;                        ///< in advance
  bool mixed = false;                          ///< it does
  /// Of a forward merged with a backward, by the cost of that one's micro-batch; null where the
  /// passes of a pair run one behind the other.
  const ActionTime* pairs = nullptr;
  bool merges(ir::ActionKind kind) const { return pairs && kind == ir::ActionKind::PairedForward; }
  const ActionTime& of(ir::ActionKind kind) const {
    return merges(kind)                                ? *pairs
           : isForward(kind)                           ? forward
           : kind == ir::ActionKind::BackwardWeight    ? weight
           : kind == ir::ActionKind::Recomputation     ? recompute
           : mixed && kind == ir::ActionKind::Backward ? whole
                                                       : backward;
  }
};

} // namespace dpl::cost
