#pragma once
//===- InnerReduction.h - Reductions of gradients inside a unit of devices --------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// ps of the gradient reductions of a step if the data ranks in each `within` unit reduce among
/// themselves, one after another. Relies on: a complete plan with one device per rank and without
/// compression.
double innerReduction(const ir::Plan& plan, ir::Level within);

} // namespace dpl::cost
