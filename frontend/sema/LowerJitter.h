#pragma once
//===- LowerJitter.h - How a time varies, of what, from its fields ----------------------------===//
#include "frontend/sema/Lowering.h"
#include "ir/Jitter.h"

namespace dpl::sema {

/// The field `jitter` of what has such times.
void lowerJitter(Lowering& to, const ObjectFields& owner, ir::Jitter& out);
/// Of `what` is drawn anew each time, by itself: devices of a node have nothing in common, and
/// nothing lasts.
void lowerFreshJitter(Lowering& to, const ObjectFields& owner, llvm::StringRef what,
                      ir::Jitter& out);

} // namespace dpl::sema
