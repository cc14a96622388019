#pragma once
//===- PieceClocks.h - Times of a chunk's actions as functions of its rank's clocks -----------===//
#include "cost/programs/ProgramTime.h"
#include "ir/Plan.h"

namespace dpl::cost {

/// Times of the actions of a chunk if they also advance the rank's data stream. ChunkTime has the
/// times for an idle data stream.
struct ChunkClocks {
  /// `whole` is used if the schedule mixes whole and split backward passes
  ActionTime forward, backward, weight, whole;
  ActionTime recompute; ///< recomputation in advance
  bool mixed = false;   ///< the schedule mixes whole and split backward passes
  /// Times of the chunk's forward pass merged with a backward pass, by the cost of the backward's
  /// micro-batch. Null if pairs do not run merged.
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
