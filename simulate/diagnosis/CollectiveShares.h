#pragma once
//===- CollectiveShares.h - Plans with shares of the time of collectives ----------------------===//
#include "ir/Plan.h"
#include "llvm/ADT/STLExtras.h"

namespace dpl::diagnosis {

/// Scales the time of each collective, and its slowdown of computation, by `share`.
void scaleCollectives(ir::Plan& plan, llvm::function_ref<double(const ir::Collective&)> share);

/// The share of a collective's time that is latency.
double latencyShare(const ir::Plan& plan, const ir::Collective& c);
/// Whether the ranks communicate in every layer and are not all in one unit of the innermost links.
bool isFar(const ir::Plan& plan, const ir::Collective& c);
/// The time that a far collective would have inside one such unit, divided by its time; 1 if it is
/// not far.
double nearShare(const ir::Plan& plan, const ir::Collective& c);

} // namespace dpl::diagnosis
