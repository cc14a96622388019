#pragma once
//===- PlanCandidate.h - The degrees of a plan ------------------------------------------------===//
#include "cost/legality/LayoutCandidate.h"
#include "ir/Plan.h"

namespace dpl::cost {

/// The candidate of a plan whose mesh is resolved.
LayoutCandidate candidateOf(const ir::Plan& plan);

} // namespace dpl::cost
