#pragma once
//===- UnmergedPrograms.h - The passes of one micro-batch of a chunk
//---------------------------===//
#include "ir/MergedProgram.h"

namespace dpl::cost {

/// Calls `visit` with the id of each body that a micro-batch of a chunk runs, but for merged
/// ones. Where its backward pass may run whole or in halves that is the whole one, which calls and
/// computes what they do.
template <class Visit>
void visitUnmergedPrograms(const ir::Plan& plan, const ir::ChunkPrograms& programs,
                           const Visit& visit) {
  const bool whole = stageProgramOf(plan, programs, ir::ActionKind::Backward).has_value();
  for (const ir::StageProgramId index : programs.stagePrograms) {
    const ir::ActionKind kind = plan.stagePrograms[index].kind;
    const bool half =
        kind == ir::ActionKind::BackwardInput || kind == ir::ActionKind::BackwardWeight;
    if (!isMerged(plan.stagePrograms[index]) && !(whole && half))
      visit(index);
  }
}

} // namespace dpl::cost
