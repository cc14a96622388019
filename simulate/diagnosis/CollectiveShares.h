#pragma once
//===- CollectiveShares.h - Shares of the time of collectives, and plans with only these
//-------===//
#include "ir/Plan.h"
#include "llvm/ADT/STLExtras.h"

namespace dpl::diagnosis {

/// Collectives of a complete plan take `share` of their time, and of what they cost computation.
void scaleCollectives(ir::Plan& plan, llvm::function_ref<double(const ir::Collective&)> share);

/// Of the time of a collective, what its bytes have no part in.
double latencyShare(const ir::Plan& plan, const ir::Collective& c);
/// Ranks that exchange in every layer, and not all of them inside one unit of the fastest links.
bool isFar(const ir::Plan& plan, const ir::Collective& c);
/// Of the time of a collective that is far, what it would take inside such a unit; 1 of others.
double nearShare(const ir::Plan& plan, const ir::Collective& c);

} // namespace dpl::diagnosis
