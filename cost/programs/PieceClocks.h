#pragma once
//===- PieceClocks.h - The passes of a piece on the clocks of its rank ------------------------===//
#include "cost/programs/BodyTime.h"
#include "ir/Plan.h"

namespace dpl::cost {

/// The passes of a piece where they take its rank's data stream further too; PieceTime has what
/// they take where that has nothing to do.
struct PieceClocks {
  PassTime forward, backward, weight, whole; ///< `whole` where the schedule has both kinds
  PassTime recompute;                        ///< in advance
  bool mixed = false;                        ///< it does
  /// Of a forward merged with a backward, by the cost of that one's micro-batch; null where the
  /// passes of a pair run one behind the other.
  const PassTime* pairs = nullptr;
  bool merges(ir::OperationKind kind) const {
    return pairs && kind == ir::OperationKind::PairedForward;
  }
  const PassTime& of(ir::OperationKind kind) const {
    return merges(kind)                                   ? *pairs
           : isForward(kind)                              ? forward
           : kind == ir::OperationKind::BackwardWeight    ? weight
           : kind == ir::OperationKind::Recomputation     ? recompute
           : mixed && kind == ir::OperationKind::Backward ? whole
                                                          : backward;
  }
};

} // namespace dpl::cost
