#pragma once
//===- OwnPasses.h - The passes of one micro-batch of a chunk ---------------------------------===//
#include "ir/MergedBody.h"

namespace dpl::cost {

/// Calls `visit` with the index of each body that a micro-batch of a chunk runs, but for merged
/// ones. Where its backward pass may run whole or in halves that is the whole one, which calls and
/// computes what they do.
template <class Visit>
void visitOwnPasses(const ir::Plan& plan, const ir::ChunkProgram& program, const Visit& visit) {
  const bool whole = bodyOf(plan, program, ir::OperationKind::Backward).has_value();
  for (const std::uint64_t index : program.bodies) {
    const ir::OperationKind kind = plan.bodies[index].kind;
    const bool half =
        kind == ir::OperationKind::BackwardInput || kind == ir::OperationKind::BackwardWeight;
    if (!isMerged(plan.bodies[index]) && !(whole && half))
      visit(index);
  }
}

} // namespace dpl::cost
