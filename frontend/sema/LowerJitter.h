#pragma once
//===- LowerJitter.h - Lowers the field `jitter` ----------------------------------------------===//
#include "frontend/sema/Lowering.h"
#include "ir/Jitter.h"

namespace dpl::sema {

/// Reads the field `jitter` of `owner`.
void lowerJitter(Lowering& to, const ObjectFields& owner, ir::Jitter& out);
/// The same for times that are drawn anew each time. Refuses correlation within a node, and numbers
/// that last for several steps. `what` names the times in messages.
void lowerFreshJitter(Lowering& to, const ObjectFields& owner, llvm::StringRef what,
                      ir::Jitter& out);

} // namespace dpl::sema
