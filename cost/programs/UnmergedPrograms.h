#pragma once
//===- UnmergedPrograms.h - The stage programs of one micro-batch of a chunk ------------------===//
#include "ir/MergedProgram.h"

namespace dpl::cost {

/// Calls `visit` with the id of each stage program that a micro-batch of a chunk runs, except
/// merged ones. If the backward pass may run whole or split, this is the whole one, which has the
/// same collectives and computation.
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
